#include "tests/accuracy/functions.h"

#include <tuple>

#include "server/engine/kernels.h"
#include "tests/accuracy/columns.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tests/accuracy/functions.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h:
#include "hwy/highway.h"
#include "tests/accuracy/functions-inl.h"

HWY_BEFORE_NAMESPACE();
namespace activation::accuracy {
namespace HWY_NAMESPACE {

using Runner = void (*)(const engine::Pair& second, const Columns& columns);

template <class F, class N, NumberType kType>
void RunFunction(const engine::Pair& second, const Columns& columns) {
  if constexpr (F::kFunction.error_bits[static_cast<int>(kType)] != 0) {
    ForAll<N>(columns, [&](const N& x) ACTIVATION_LAMBDA { return F::Of(x, second); });
  }
}

template <class List>
struct FunctionTable;
template <class... F>
struct FunctionTable<std::tuple<F...>> {
  static constexpr Function kFunctions[] = {F::kFunction...};
  static constexpr Runner kRunners[][3] = {{RunFunction<F, Fast, NumberType::kLanes>,
                                            RunFunction<F, Quick, NumberType::kQuickPairs>,
                                            RunFunction<F, Precise, NumberType::kDoubleDouble>}...};
};

void RunFunctionOf(NumberType type, size_t function, const engine::Pair& second,
                   const Columns& columns) {
  FunctionTable<FunctionList>::kRunners[function][static_cast<int>(type)](second, columns);
}

std::span<const Function> FunctionsOfTarget() { return FunctionTable<FunctionList>::kFunctions; }

}  // namespace HWY_NAMESPACE
}  // namespace activation::accuracy
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace activation::accuracy {
HWY_EXPORT(RunFunctionOf);
HWY_EXPORT(FunctionsOfTarget);

std::span<const Function> Functions() { return HWY_DYNAMIC_DISPATCH(FunctionsOfTarget)(); }

std::vector<Unrounded> Compute(NumberType type, size_t function, const engine::Pair& second,
                               const Arguments& arguments) {
  return InColumns(arguments, [&](const Columns& columns) {
    HWY_DYNAMIC_DISPATCH(RunFunctionOf)(type, function, second, columns);
  });
}

}  // namespace activation::accuracy
#endif  // HWY_ONCE
