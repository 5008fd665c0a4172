#include "client/cli/npy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

namespace activation::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A version 1.0 file with this header, as given, and these bytes after it.
std::string File(const std::string& header, const std::string& data) {
  std::string file("\x93NUMPY\x01\x00", 8);
  file += static_cast<char>(header.size() & 0xff);
  file += static_cast<char>(header.size() >> 8);
  return file + header + data;
}

std::string Header(const std::string& descr, const std::string& shape,
                   const std::string& fortran_order = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + fortran_order + ", 'shape': " + shape +
         ", }";
}

std::string Floats(std::vector<float> values) { return MakeTensor(values).data; }

void ExpectRefused(const std::string& file, const char* reason,
                   std::optional<DataType> type = std::nullopt) {
  const absl::Status status = DecodeNpy(file, type).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << reason;
  EXPECT_THAT(status.message(), HasSubstr(reason));
}

TEST(NpyTest, ReadsBackWhatItWrites) {
  for (const DataType type : kDataTypes) {
    for (const std::vector<int64_t>& shape :
         {std::vector<int64_t>{6}, {}, {2, 3}, {1, 6, 1}, {0, 5}, {0}}) {
      const auto count = static_cast<size_t>(*ElementCount(shape));
      const Tensor tensor = MakeTensor(type, std::vector<double>(count, -1.5), shape);
      const std::string file = EncodeNpy(type, shape, tensor.data);
      EXPECT_EQ((file.size() - tensor.data.size()) % 64, 0u);
      absl::StatusOr<Tensor> again = DecodeNpy(file, type);
      ASSERT_TRUE(again.ok()) << again.status();
      EXPECT_EQ(again->type, type);
      EXPECT_EQ(again->shape, shape);
      EXPECT_EQ(again->data, tensor.data);
    }
  }
}

TEST(NpyTest, ReadsEveryVersionAndSpellingOfTheHeader) {
  const std::string data = Floats({1, 2});
  const std::string header = Header("<f4", "(2,)");
  std::string version2("\x93NUMPY\x02\x00", 8);
  version2 += std::string({static_cast<char>(header.size()), 0, 0, 0}) + header + data;
  std::string version3 = version2;
  version3[6] = 3;
  for (const std::string& file :
       {version2, version3, File("{'shape':(2L,),\"descr\":\"<f4\",'fortran_order':False}", data),
        File(Header("=f4", "( 2 , )") + "   \n", data),
        File("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", data)}) {
    absl::StatusOr<Tensor> tensor = DecodeNpy(file, std::nullopt);
    ASSERT_TRUE(tensor.ok()) << tensor.status();
    EXPECT_THAT(tensor->shape, ElementsAre(2));
    EXPECT_THAT(ToDoubles(*tensor), ElementsAre(1, 2));
  }
}

TEST(NpyTest, ConvertsBigEndianAndFortranOrder) {
  absl::StatusOr<Tensor> big =
      DecodeNpy(File(Header(">f4", "(2,)"), std::string("\x3f\x80\0\0\x40\0\0\0", 8)), {});
  ASSERT_TRUE(big.ok()) << big.status();
  EXPECT_THAT(ToDoubles(*big), ElementsAre(1, 2));
  // numpy.asfortranarray([[1, 2, 3], [4, 5, 6]])
  absl::StatusOr<Tensor> fortran =
      DecodeNpy(File(Header("<f4", "(2, 3)", "True"), Floats({1, 4, 2, 5, 3, 6})), {});
  ASSERT_TRUE(fortran.ok()) << fortran.status();
  EXPECT_THAT(fortran->shape, ElementsAre(2, 3));
  EXPECT_THAT(ToDoubles(*fortran), ElementsAre(1, 2, 3, 4, 5, 6));
  absl::StatusOr<Tensor> empty = DecodeNpy(
      File(Header("<f4", "(4611686018427387904, 4611686018427387904, 0)", "True"), ""), {});
  ASSERT_TRUE(empty.ok()) << empty.status();
  EXPECT_EQ(empty->size(), 0u);
}

TEST(NpyTest, TakesBfloat16BitsOnlyOnRequest) {
  const std::string bits("\x80\x3f", 2);
  for (const char* descr : {"<u2", "|V2"}) {
    const std::string file = File(Header(descr, "(1,)"), bits);
    absl::StatusOr<Tensor> tensor = DecodeNpy(file, DataType::kBFloat16);
    ASSERT_TRUE(tensor.ok()) << tensor.status();
    EXPECT_THAT(ToDoubles(*tensor), ElementsAre(1));
    ExpectRefused(file, "--dtype bfloat16");
    ExpectRefused(file, "--dtype is float32", DataType::kFloat32);
  }
}

TEST(NpyTest, RefusesATypeThatContradictsTheFileAndSaysWhatToDo) {
  ExpectRefused(File(Header("<f8", "(0,)"), ""), "holds float64, but --dtype is float32: drop",
                DataType::kFloat32);
  ExpectRefused(File(Header("<f4", "(0,)"), ""), "--output-dtype bfloat16", DataType::kBFloat16);
}

TEST(NpyTest, RefusesUnsupportedTypesAndNamesTheOthers) {
  for (const char* descr : {"<i4", "|b1", "<c8", "<f16", "|O", "<U3", "<M8[ns]", "", "f4", "x"}) {
    ExpectRefused(File(Header(descr, "(0,)"), ""), "float32, float64, float16");
  }
  ExpectRefused(File("{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (0,), }", ""),
                "records are not supported");
}

TEST(NpyTest, RefusesMalformedHeaders) {
  ExpectRefused("", "not a .npy file");
  ExpectRefused("hello", "not a .npy file");
  ExpectRefused(std::string("\x93NUMPY\x04\x00\x00\x00", 10), "version 4");
  ExpectRefused(std::string("\x93NUMPY\x00\x00\x00\x00", 10), "version 0");
  ExpectRefused(File("", ""), "{ expected");
  ExpectRefused(File("{}", ""), "once");
  ExpectRefused(File("{'descr': '<f4'}", ""), "once");
  ExpectRefused(File("{'descr': '<f4', 'descr': '<f4'}", ""), "once");
  ExpectRefused(File("{'other': 1}", ""), "once");
  ExpectRefused(File("{descr: '<f4'}", ""), "a quoted key");
  ExpectRefused(File("{'descr' '<f4'}", ""), ": expected");
  ExpectRefused(File("{'descr': '<f4' 'shape': (1,)}", ""), ", or }");
  ExpectRefused(File(Header("<f4", "(1,)", "Maybe"), ""), "True or False");
  ExpectRefused(File(Header("<f4", "(1,)") + "x", Floats({1})), "the end");
  for (const char* shape : {"(-1,)", "(1", "1", "(1)", "[1]", "(a,)", "(1.5,)", "(,)", "(1,,2)",
                            "(9223372036854775808,)", "(99999999999999999999999,)"}) {
    ExpectRefused(File(Header("<f4", shape), Floats({1})), "a tuple of");
  }
  std::string deep = "(";
  for (int i = 0; i < 33; ++i) deep += "1, ";
  ExpectRefused(File(Header("<f4", deep + ")"), Floats({1})), "a tuple of");
}

TEST(NpyTest, RefusesSizesThatDoNotFitTheShape) {
  ExpectRefused(File(Header("<f4", "(3,)"), Floats({1, 2})), "cut short");
  ExpectRefused(File(Header("<f4", "(1,)"), Floats({1, 2})), "too long");
  ExpectRefused(File(Header("<f4", "(1,)"), "12345"), "too long");
  ExpectRefused(File(Header("<f4", "(0,)"), "1"), "too long");
  ExpectRefused(File(Header("<f4", "()"), ""), "cut short");
  ExpectRefused(File(Header("<f8", "(9223372036854775807,)"), "12345678"), "cut short");
  ExpectRefused(File(Header("<f8", "(2305843009213693952, 4)"), "12345678"), "2^63 - 1");
  ExpectRefused(File(Header("<f4", "(4611686018427387904, 4611686018427387904)"), ""), "2^63 - 1");
}

TEST(NpyTest, SurvivesEveryTruncation) {
  const std::string file =
      EncodeNpy(DataType::kFloat32, std::vector<int64_t>{2, 3}, Floats({1, 2, 3, 4, 5, 6}));
  for (size_t size = 0; size < file.size(); ++size) {
    EXPECT_EQ(DecodeNpy(file.substr(0, size), std::nullopt).status().code(),
              absl::StatusCode::kInvalidArgument)
        << size;
  }
}

TEST(NpyTest, SurvivesAnyDamage) {
  const std::string file =
      EncodeNpy(DataType::kFloat32, std::vector<int64_t>{2, 3}, Floats({1, 2, 3, 4, 5, 6}));
  std::mt19937 random(1);
  int refused = 0;
  for (int round = 0; round < 200'000; ++round) {
    std::string damaged = file;
    for (uint32_t changes = 1 + random() % 4; changes > 0; --changes) {
      damaged[random() % damaged.size()] = static_cast<char>(random());
    }
    absl::StatusOr<Tensor> tensor = DecodeNpy(damaged, std::nullopt);
    if (tensor.ok()) {
      EXPECT_EQ(Validate(*tensor), absl::OkStatus());
    } else {
      EXPECT_EQ(tensor.status().code(), absl::StatusCode::kInvalidArgument);
      ++refused;
    }
  }
  EXPECT_GT(refused, 100'000);
}

}  // namespace
}  // namespace activation::cli
