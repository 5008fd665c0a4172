#include "tests/support/interval.h"

#include <algorithm>
#include <limits>

#include "tests/support/compile.h"
#include "tests/support/interval_functions.h"
#include "tests/support/interval_loops.h"

namespace activation::oracle {
namespace {

// Null for what Compute does itself.
struct Operation {
  Unary* unary = nullptr;
  Binary* binary = nullptr;
};

Operation OperationOf(Code code) {
  switch (code) {
    case Code::kAdd:
      return {.binary = AddLanes};
    case Code::kSubtract:
      return {.binary = SubtractLanes};
    case Code::kMultiply:
      return {.binary = MultiplyLanes};
    case Code::kDivide:
      return {.binary = DivideLanes};
    case Code::kLess:
      return {.binary = LessLanes};
    case Code::kLessEqual:
      return {.binary = LessEqualLanes};
    case Code::kEqual:
      return {.binary = EqualLanes};
    case Code::kNegate:
      return {.unary = NegateLanes};
    case Code::kAbs:
      return {.unary = AbsLanes};
    case Code::kCos:
      return {.unary = CosLanes};
    case Code::kCosh:
      return {.unary = CoshLanes};
    case Code::kErf:
      return {.unary = ErfLanes};
    case Code::kErfc:
      return {.unary = ErfcLanes};
    case Code::kExp:
      return {.unary = ExpLanes};
    case Code::kExpm1:
      return {.unary = Expm1Lanes};
    case Code::kLog:
      return {.unary = LogLanes};
    case Code::kLog1p:
      return {.unary = Log1pLanes};
    case Code::kScaledErfc:
      return {.unary = ScaledErfcLanes};
    case Code::kSin:
      return {.unary = SinLanes};
    case Code::kSoftplus:
      return {.unary = SoftplusLanes};
    case Code::kSqrt:
      return {.unary = SqrtLanes};
    case Code::kTanh:
      return {.unary = TanhLanes};
    default:
      return {};
  }
}

// For constants.
constexpr Context kContext{128, false};

void Fill(Lanes& lanes, double low, double high) {
  std::fill_n(lanes.negated_low, kLanes, -low);
  std::fill_n(lanes.high, kLanes, high);
}

void FillWith(Lanes& lanes, const Ball& ball) {
  Dyadic low, high;
  arb_get_interval_arf(low.get(), high.get(), ball.get(), kContext.bits);
  Fill(lanes, arf_get_d(low.get(), ARF_RND_FLOOR), arf_get_d(high.get(), ARF_RND_CEIL));
}

}  // namespace

IntervalEvaluator::IntervalEvaluator(const Formula& formula, std::span<const double> parameters)
    : program_(Compile(formula)), slots_(program_.size()) {
  for (size_t i = 0; i < program_.size(); ++i) {
    const Code code = program_[i].code;
    if (code != Code::kConstant && code != Code::kPi) continue;
    slots_[i].result = &slots_[i].lanes;
    slots_[i].time = std::numeric_limits<uint64_t>::max();
    FillWith(slots_[i].lanes,
             code == Code::kPi ? Pi(kContext).r : FromRational(program_[i].value, kContext).r);
  }
  SetParameters(parameters);
}

void IntervalEvaluator::SetParameters(std::span<const double> parameters) {
  parameters_.assign(parameters.begin(), parameters.end());
  parameters_since_ = ++now_;
}

const Lanes& IntervalEvaluator::Evaluate(const Lanes& x) {
  const ScopedRounding upwards(FE_UPWARD);
  x_ = &x;
  ++now_;
  return At(static_cast<int>(program_.size()) - 1);
}

const Lanes& IntervalEvaluator::At(int place) {
  const Instruction& instruction = program_[place];
  Slot& slot = slots_[place];
  if (slot.time < (instruction.varies ? now_ : parameters_since_)) {
    slot.result = &slot.lanes;
    Compute(instruction, slot);
    slot.time = now_;
  }
  return *slot.result;
}

void IntervalEvaluator::Compute(const Instruction& instruction, Slot& slot) {
  switch (instruction.code) {
    case Code::kVariable:
      if (instruction.index == 0) {
        slot.result = x_;
      } else {
        Fill(slot.lanes, parameters_[instruction.index - 1], parameters_[instruction.index - 1]);
      }
      return;
    case Code::kNearlyOne:
      return Fill(slot.lanes, 1 - 0x1p-53, 1);
    case Code::kPower:
      return PowerLanes(At(instruction.a), instruction.index, slot.lanes);
    case Code::kChoose: {
      const Lanes& condition = At(instruction.a);
      // The branches that no lane takes are left out: neighbouring inputs mostly take the same.
      if (AllTrue(condition)) {
        slot.result = &At(instruction.b);
      } else if (AllFalse(condition)) {
        slot.result = &At(instruction.c);
      } else {
        ChooseLanes(condition, At(instruction.b), At(instruction.c), slot.lanes);
      }
      return;
    }
    default: {
      const Operation operation = OperationOf(instruction.code);
      if (operation.unary != nullptr) return operation.unary(At(instruction.a), slot.lanes);
      return operation.binary(At(instruction.a), At(instruction.b), slot.lanes);
    }
  }
}

}  // namespace activation::oracle
