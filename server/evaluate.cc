#include "server/evaluate.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "proto/tensor_codec.h"
#include "server/errors.h"

namespace activation::server {
namespace {

constexpr size_t kBlock = kElementsPerBlock;

// Reads whole elements out of pieces, in place where an element does not straddle two of them.
class ElementReader {
 public:
  ElementReader(const Elements& elements, size_t first)
      : pieces_(elements.pieces), size_(engine::SizeOf(elements.type)), at_(first * size_) {
    const auto after = std::upper_bound(
        pieces_.begin(), pieces_.end(), at_,
        [](size_t at, const Piece& piece) { return at < piece.begin + piece.size; });
    piece_ = static_cast<size_t>(after - pieces_.begin());
  }

  // How many of the next elements, at least one, can be read at Data().
  size_t Available() const { return std::max<size_t>(LeftInPiece() / size_, 1); }

  // The next elements; valid until the next call of this or Advance.
  const std::byte* Data() {
    if (LeftInPiece() >= size_) return pieces_[piece_].data + (at_ - pieces_[piece_].begin);
    for (size_t i = 0, piece = piece_; i < size_; ++i) {
      if (at_ + i == pieces_[piece].begin + pieces_[piece].size) ++piece;
      straddling_[i] = pieces_[piece].data[at_ + i - pieces_[piece].begin];
    }
    return straddling_.data();
  }

  void Advance(size_t count) {
    at_ += count * size_;
    while (piece_ < pieces_.size() && LeftInPiece() == 0) ++piece_;
  }

 private:
  // Bytes; 0 beyond the piece's end, where an element reached into the next one.
  size_t LeftInPiece() const {
    const size_t end = pieces_[piece_].begin + pieces_[piece_].size;
    return at_ < end ? end - at_ : 0;
  }

  const Pieces& pieces_;
  const size_t size_;
  size_t at_;
  size_t piece_;
  std::array<std::byte, sizeof(double)> straddling_;
};

// float32 values of float16 or bfloat16 elements, each exact.
void Widen(engine::DataType type, const std::byte* elements, size_t count, std::byte* values) {
  const auto decode = type == engine::DataType::kFloat16 ? Float16ToDouble : BFloat16ToDouble;
  for (size_t i = 0; i < count; ++i) {
    uint16_t bits = 0;
    std::memcpy(&bits, elements + i * sizeof(bits), sizeof(bits));
    const float value = static_cast<float>(decode(bits));
    std::memcpy(values + i * sizeof(value), &value, sizeof(value));
  }
}

// engine::Run with output in the reply's encoding.
void RunEncoded(const engine::Operation& operation, const ReplyTensor& tensor,
                const std::byte* input, const std::byte* upstream, std::byte* output,
                size_t count) {
  const size_t size = engine::SizeOf(tensor.type);
  if (ReplyElementSize(tensor) == size) {
    return engine::Run(operation, {.input = input, .upstream = upstream, .output = output}, count);
  }
  // The narrow results go to the room's end: widening from the front never overtakes them.
  std::byte* const narrow = output + count * (sizeof(float) - size);
  engine::Run(operation, {.input = input, .upstream = upstream, .output = narrow}, count);
  Widen(tensor.type, narrow, count, output);
}

bool IsSame(const engine::Function& a, const engine::Function& b) {
  return a.spec == b.spec && a.parameters == b.parameters;
}

}  // namespace

Evaluation::Evaluation(const Plan& plan, std::span<const Destination> destinations)
    : plan_(plan), destinations_(destinations) {
  for (size_t item = 0; item < plan.items.size(); ++item) {
    const size_t count = static_cast<size_t>(plan.items[item].input.count);
    for (size_t begin = 0; begin < count; begin += kBlock) {
      Block& block = blocks_.emplace_back();
      block.item = item;
      block.begin = begin;
      block.count = std::min(kBlock, count - begin);
      const ReplyItem& reply = plan.reply[item];
      if (reply.has_parameter_gradients) block.gradients.emplace(reply.function);
    }
  }
}

void Evaluation::RunBlock(size_t index) {
  Block& block = blocks_[index];
  const PlanItem& item = plan_.items[block.item];
  const ReplyItem& reply = plan_.reply[block.item];
  const Destination& destination = destinations_[block.item];
  engine::Operation operation = {.function = reply.function,
                                 .quantity = item.quantity,
                                 .input_type = item.input.type,
                                 .output_type = reply.result.type};
  const size_t size = ReplyElementSize(reply.result);
  ElementReader input(item.input, block.begin);
  std::optional<ElementReader> upstream;
  if (item.upstream) upstream.emplace(*item.upstream, block.begin);

  for (size_t done = 0; done < block.count;) {
    size_t count = std::min(block.count - done, input.Available());
    if (upstream) count = std::min(count, upstream->Available());
    const std::byte* const x = input.Data();
    const std::byte* const g = upstream ? upstream->Data() : nullptr;
    const size_t offset = (block.begin + done) * size;
    operation.quantity = item.quantity;
    RunEncoded(operation, reply.result, x, g, destination.result + offset, count);
    if (reply.has_value) {
      operation.quantity = engine::Quantity::kValue;
      RunEncoded(operation, reply.result, x, nullptr, destination.value + offset, count);
    }
    if (block.gradients) block.gradients->Add(item.input.type, {.input = x, .upstream = g}, count);
    input.Advance(count);
    if (upstream) upstream->Advance(count);
    done += count;
  }
}

void Evaluation::Finish(std::optional<StreamSums>* sums) {
  auto block = blocks_.begin();
  for (size_t item = 0; item < plan_.reply.size(); ++item) {
    const ReplyItem& reply = plan_.reply[item];
    engine::ParameterGradients total(reply.function);
    for (; block != blocks_.end() && block->item == item; ++block) {
      if (block->gradients) total.Add(*block->gradients);
    }
    if (!reply.has_parameter_gradients) continue;
    if (sums != nullptr) {
      if (!*sums || !IsSame((*sums)->function, reply.function)) {
        *sums = StreamSums{.function = reply.function,
                           .gradients = engine::ParameterGradients(reply.function)};
      }
      (*sums)->gradients.Add(total);
      total = (*sums)->gradients;
    }
    for (size_t i = 0; i < reply.function.spec->parameters.size(); ++i) {
      const double value = total.Total(static_cast<int>(i));
      std::memcpy(destinations_[item].parameter_gradients[i], &value, sizeof(value));
    }
  }
}

absl::Status Evaluate(const Plan& plan, std::span<const Destination> destinations,
                      const std::atomic<bool>& cancelled, ForEachBlock for_each,
                      std::optional<StreamSums>* sums) {
  Evaluation evaluation(plan, destinations);
  std::atomic<bool> skipped = false;
  for_each(evaluation.block_count(), [&](size_t i) {
    if (cancelled.load(std::memory_order_relaxed)) {
      skipped.store(true, std::memory_order_relaxed);
    } else {
      evaluation.RunBlock(i);
    }
  });
  if (skipped.load()) return errors::Cancelled();
  evaluation.Finish(sums);
  return absl::OkStatus();
}

}  // namespace activation::server
