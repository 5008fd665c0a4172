#include "tests/accuracy/unrounded.h"

#include <tuple>

#include "server/engine/error_bounds.h"
#include "server/engine/kernels.h"
#include "tests/accuracy/columns.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tests/accuracy/unrounded.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h:
#include "hwy/highway.h"
#include "tests/accuracy/unrounded-inl.h"

HWY_BEFORE_NAMESPACE();
namespace activation::accuracy {
namespace HWY_NAMESPACE {

using Row = void (*)(const double* parameters, const Columns& columns);

template <class A, int kRow, class N>
void RunRow(const double* parameters, const Columns& columns) {
  ForAll<N>(columns, [&](const N& x) ACTIVATION_LAMBDA { return Apply<A, kRow>(x, parameters); });
}

template <class N, class List>
struct RowTable;
template <class N, class... A>
struct RowTable<N, std::tuple<A...>> {
  static constexpr Row kAll[][engine::kFirstParameterRow] = {
      {RunRow<A, engine::kValueRow, N>, RunRow<A, engine::kDerivativeRow, N>}...};
};

void RunUnrounded(NumberType type, int activation, int row, const double* parameters,
                  const Columns& columns) {
  switch (type) {
    case NumberType::kLanes:
      return RowTable<Fast, Activations>::kAll[activation][row](parameters, columns);
    case NumberType::kQuickPairs:
      return RowTable<Quick, Activations>::kAll[activation][row](parameters, columns);
    case NumberType::kDoubleDouble:
      return RowTable<Precise, Activations>::kAll[activation][row](parameters, columns);
  }
}

double LanesError() { return kRelativeMargin; }

}  // namespace HWY_NAMESPACE
}  // namespace activation::accuracy
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace activation::accuracy {
HWY_EXPORT(RunUnrounded);
HWY_EXPORT(LanesError);

const char* NameOf(NumberType type) {
  constexpr const char* kNames[] = {"Lanes", "QuickPairs", "DoubleDouble"};
  return kNames[static_cast<int>(type)];
}

double ErrorBound(NumberType type) {
  if (type == NumberType::kLanes) return HWY_DYNAMIC_DISPATCH(LanesError)();
  return type == NumberType::kQuickPairs ? engine::kQuickPairsError : engine::kDoubleDoubleError;
}

std::vector<Unrounded> Compute(NumberType type, int activation, int row,
                               std::span<const double> parameters, const Arguments& arguments) {
  return InColumns(arguments, [&](const Columns& columns) {
    HWY_DYNAMIC_DISPATCH(RunUnrounded)(type, activation, row, parameters.data(), columns);
  });
}

}  // namespace activation::accuracy
#endif  // HWY_ONCE
