#include "client/cli/gnuplot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "client/cli/compare_figures.h"
#include "client/cli/compare_formats.h"
#include "client/cli/compare_picture.h"
#include "client/cli/progress.h"
#include "client/cli/report_page.h"

namespace activation::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

Picture Line(const std::string& text) {
  return {.title = text,
          .panels = {{.title = text,
                      .y_label = text,
                      .series = {{.title = text, .x = {0, 1, 2}, .y = {1, std::nan(""), 3}},
                                 {.x = {1}, .y = {1}, .mark = Mark::kPoint, .label = text}}}}};
}

TEST(GnuplotTest, TextIsNeverInterpreted) {
  // Each would run a command, end the string, or format, if it were.
  for (const char* text :
       {"'; system('false'); exit status 1 #", "`exit 1`", "\nexit status 1\n", "@x \\n %g",
        "x^2_{i} {/Bold b}", "\"; !false", "EOD", "$d0_0", "\x01\x1b[2J"}) {
    for (const PictureType type : {PictureType::kSvg, PictureType::kText}) {
      absl::StatusOr<std::string> drawn = Draw(Line(text), type);
      ASSERT_TRUE(drawn.ok()) << drawn.status();
      EXPECT_THAT(*drawn, Not(HasSubstr("\x1b[2J")));
    }
  }
  absl::StatusOr<std::string> drawn = Draw(Line("it's x^2_{i} `a` <b> @x"), PictureType::kSvg);
  ASSERT_TRUE(drawn.ok()) << drawn.status();
  EXPECT_THAT(*drawn, HasSubstr("it's x^2_{i} `a` &lt;b> @x"));
}

TEST(GnuplotTest, PanelsWithoutAnythingToDrawAreNoError) {
  Picture picture{.columns = 2};
  picture.panels.push_back({.title = "empty"});
  picture.panels.push_back({.series = {{.x = {1, 2}, .y = {0, 0}}}, .log_y = true});
  picture.panels.push_back({.series = {{.x = {1}, .y = {std::nan("")}}}});
  picture.panels.push_back({.series = {{.x = {INFINITY, 1}, .y = {1, 1e-320}}}});
  absl::StatusOr<std::string> drawn = Draw(picture, PictureType::kSvg);
  ASSERT_TRUE(drawn.ok()) << drawn.status();
  EXPECT_THAT(*drawn, HasSubstr("nothing to draw"));
}

TEST(GnuplotTest, AFailureHasGnuplotsMessage) {
  absl::StatusOr<std::string> drawn = RunGnuplot("set terminal no_such_terminal\n");
  EXPECT_TRUE(absl::IsInternal(drawn.status()));
  EXPECT_THAT(drawn.status().message(), HasSubstr("unknown or ambiguous terminal"));
  EXPECT_THAT(RunGnuplot("").status().message(), HasSubstr("drew nothing"));
}

v1::CompareApproximationsResponse Comparison() {
  v1::CompareApproximationsResponse response;
  v1::ApproximationReport& report = *response.add_reports();
  report.set_label("<b>'it' & \"it\"");
  report.set_points(10);
  report.mutable_max_absolute_error()->set_error(0.25);
  report.mutable_max_absolute_error()->set_x(2);
  report.mutable_max_absolute_error()->set_reference(1);
  report.mutable_max_absolute_error()->set_candidate(0.75);
  report.mutable_flushed_to_zero()->set_count(3);
  report.mutable_flushed_to_zero()->set_lowest_x(-4);
  report.mutable_flushed_to_zero()->set_highest_x(-3);
  for (const int i : {0, 1, 2}) {
    report.mutable_curve()->add_x(i);
    report.mutable_curve()->add_error(i - 1);
    v1::UlpBucket& bucket = *report.add_ulp_histogram();
    bucket.set_upper_bound(i);
    bucket.set_count(i);
    bucket.set_share_within(i / 3.);
  }
  return response;
}

TEST(ComparePictureTest, TheWorstPointHasItsSignPlaceAndLabel) {
  const Picture picture = ComparePicture(Comparison(), "");
  ASSERT_EQ(picture.panels.size(), 3);
  const Series& worst = picture.panels[0].series[1];
  EXPECT_EQ(worst.y, std::vector<double>{-0.25});
  EXPECT_EQ(worst.label, "-0.25 at x = 2");
  EXPECT_TRUE(picture.panels[1].log_y);
  EXPECT_TRUE(std::isnan(picture.panels[1].series[0].y[1]));
  EXPECT_EQ(picture.panels[2].x_names, (std::vector<std::string>{"0", "1", "2"}));
  absl::StatusOr<std::string> drawn = Draw(picture, PictureType::kSvg);
  ASSERT_TRUE(drawn.ok()) << drawn.status();
  EXPECT_THAT(*drawn, HasSubstr("-0.25 at x = 2"));
  EXPECT_THAT(*drawn, Not(HasSubstr("nothing to draw")));
}

TEST(CompareReportTest, FiguresSayWhereThingsHappen) {
  const std::string text = *Render(CompareFormats(), "table", Comparison());
  EXPECT_THAT(text, HasSubstr("0.25 at x = 2 (0.75 for 1)"));
  EXPECT_THAT(text, HasSubstr("3, x from -4 to -3"));
  // The empty one of the three buckets is left out.
  EXPECT_EQ(HistogramRows(Comparison().reports(0)).size(), 3);
  const std::string csv = *Render(CompareFormats(), "csv", Comparison());
  EXPECT_THAT(csv, StartsWith("candidate,points,max_absolute_error,max_absolute_error_x,"));
  EXPECT_THAT(csv, HasSubstr(",3,-4,-3,0,,"));
}

TEST(ReportPageTest, EscapesEverything) {
  ReportContent content;
  for (std::string* text : {content.info.mutable_name(), content.info.mutable_formula(),
                            content.info.mutable_description(), content.info.add_aliases(),
                            content.info.add_parameters()->mutable_name(),
                            content.info.add_kinks()->mutable_at(), &content.domain}) {
    *text = "<script>alert('\"&')</script>";
  }
  content.curves.push_back({.title = "</title><b>", .svg = "<svg><title>Gnuplot</title></svg>"});
  content.comparison = Comparison();
  content.errors.resize(1);
  const std::string page = ReportPage(content);
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, Not(HasSubstr("<b>")));
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;alert(&#39;&quot;&amp;&#39;)&lt;/script&gt;"));
  EXPECT_THAT(page, HasSubstr("<svg role=\"img\""));
  EXPECT_EQ(ReportFileName("../x/<y>"), "___x__y_.html");
}

TEST(ProgressTest, SaysShareRateTimeLeftAndWorst) {
  v1::CompareProgress progress;
  EXPECT_EQ(DescribeProgress(progress, absl::ZeroDuration()), "0.0 %");
  progress.set_done(1'000'000);
  progress.set_total(4'000'000);
  progress.add_max_ulp_errors(2);
  progress.add_max_ulp_errors(12.5);
  EXPECT_EQ(DescribeProgress(progress, absl::Seconds(30)),
            "25.0 %, 33.3 k points/s, 1 min 30 s left, worst 12.5 ULP");
}

}  // namespace
}  // namespace activation::cli
