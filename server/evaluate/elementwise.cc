#include "server/evaluate/elementwise.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "proto/element_type.h"
#include "server/evaluate/along_axes.h"
#include "server/evaluate/encode.h"
#include "server/wire/reply.h"

namespace activation::server {
namespace {

// Elements that are gathered for one call of the engine.
constexpr size_t kBatch = 256;

// Addends that are laid out for one call of the engine.
constexpr size_t kAddends = 512;

// The addends of elements in order, in place where they lie side by side.
class BiasCursor {
 public:
  explicit BiasCursor(const PlanItem& item) : item_(item) {}

  // Null without a bias. Lowers `count`, of elements from `first` on, to how many it has.
  const std::byte* Data(size_t first, size_t& count) {
    if (!item_.bias) return nullptr;
    const Bias& bias = *item_.bias;
    const size_t size = SizeOf(item_.input.type);
    if (bias.layout.inner == 1 && bias.layout.extent >= kAddends) {
      const size_t index = bias.layout.IndexOf(first);
      count = std::min(count, bias.layout.extent - index);
      return bias.values.data() + index * size;
    }
    count = std::min(count, kAddends);
    CopyAddends(bias, size, first, count, addends_.data());
    return addends_.data();
  }

 private:
  const PlanItem& item_;
  std::array<std::byte, kAddends * sizeof(double)> addends_;
};

engine::Operation OperationOf(const Work& work, const engine::Function& function,
                              engine::Quantity quantity) {
  return {.function = function,
          .quantity = quantity,
          .input_type = work.item.input.type,
          .output_type = work.reply.result.type};
}

// One result of some elements: into the encoding of a reply, at `output`.
void RunOne(const Work& work, const engine::Operation& operation, const ReplyTensor& tensor,
            engine::Operands operands, size_t count, std::byte* output) {
  const OwnFormula* const formula = work.item.activation->formula.get();
  RunEncoded(tensor, count, output, [&](std::byte* packed) {
    operands.output = packed;
    if (formula != nullptr) {
      formula->Run(operation, operands, count);
    } else {
      engine::Run(operation, operands, count);
    }
  });
}

// Calls run(operation, tensor, operands, destination) for what is asked for: result and value.
template <typename Run>
void ForEachResult(const Work& work, const engine::Function& function,
                   const engine::Operands& operands, Run run) {
  run(OperationOf(work, function, work.item.quantity), work.reply.result, operands,
      work.destination.result);
  if (!work.reply.value) return;
  run(OperationOf(work, function, engine::Quantity::kValue), *work.reply.value,
      engine::Operands{.input = operands.input, .bias = operands.bias}, work.destination.value);
}

// A tile's elements, packed in the order in which they lie.
std::vector<std::byte> CopyTile(const Elements& elements, const AxisLayout& layout,
                                const Tile& tile) {
  const size_t size = SizeOf(elements.type);
  // Side by side: either inner_count or index_count is that of the layout, or 1.
  const size_t run = tile.index_count * tile.inner_count;
  std::vector<std::byte> data(tile.outer_count * run * size);
  ElementReader reader(elements);
  for (size_t o = 0; o < tile.outer_count; ++o) {
    const size_t first =
        ((tile.outer + o) * layout.extent + tile.index) * layout.inner + tile.inner;
    reader.Copy(first, run, data.data() + o * run * size);
  }
  return data;
}

// Elements that share a function, side by side.
struct Batch {
  // Where they lie in the tensor: the first one, and how many follow it.
  std::array<std::pair<size_t, size_t>, kBatch> runs;
  size_t run_count = 0;
  size_t count = 0;
  std::array<std::byte, kBatch * sizeof(double)> input;
  std::array<std::byte, kBatch * sizeof(double)> upstream;
  std::array<std::byte, kBatch * sizeof(double)> bias;

  engine::Operands Operands(const PlanItem& item) const {
    return {.input = input.data(),
            .upstream = item.upstream ? upstream.data() : nullptr,
            .bias = item.bias ? bias.data() : nullptr};
  }
};

// Gathers a tile's elements into batches, those of one index after those of another.
class Gatherer {
 public:
  Gatherer(const PlanItem& item, const AxisLayout& layout, const Tile& tile)
      : item_(item),
        layout_(layout),
        tile_(tile),
        size_(SizeOf(item.input.type)),
        input_(CopyTile(item.input, layout, tile)),
        upstream_(item.upstream ? CopyTile(*item.upstream, layout, tile)
                                : std::vector<std::byte>()),
        cursor_(item),
        is_one_function_(cursor_.DependsOnlyOn(layout)) {}

  // Calls on_batch(index less tile.index, function, batch) for each batch.
  template <typename OnBatch>
  void ForEachBatch(OnBatch on_batch) {
    for (size_t k = 0; k < tile_.index_count; ++k) {
      const auto flush = [&] {
        if (batch_.count > 0) on_batch(k, cursor_.function(), batch_);
        batch_.count = batch_.run_count = 0;
      };
      for (size_t o = 0; o < tile_.outer_count; ++o) {
        size_t element =
            ((tile_.outer + o) * layout_.extent + tile_.index + k) * layout_.inner + tile_.inner;
        size_t at = (o * tile_.index_count + k) * tile_.inner_count;
        for (size_t left = tile_.inner_count; left > 0;) {
          if (batch_.count == kBatch || !Continues(element)) flush();
          if (batch_.count == 0) cursor_.MoveTo(element);
          const size_t count = Append(element, at, left);
          element += count;
          at += count;
          left -= count;
        }
      }
      flush();
    }
  }

 private:
  bool Continues(size_t element) const {
    return is_one_function_ || batch_.count == 0 || cursor_.IsSameAt(element);
  }

  // How many of the `left` elements fit and share the function; `at` is their place in the tile.
  size_t Append(size_t element, size_t at, size_t left) {
    size_t count = std::min(left, kBatch - batch_.count);
    if (!is_one_function_) count = std::min(count, cursor_.SharedFrom(element));
    const size_t to = batch_.count * size_;
    std::memcpy(batch_.input.data() + to, input_.data() + at * size_, count * size_);
    if (item_.upstream) {
      std::memcpy(batch_.upstream.data() + to, upstream_.data() + at * size_, count * size_);
    }
    if (item_.bias) CopyAddends(*item_.bias, size_, element, count, batch_.bias.data() + to);
    batch_.runs[batch_.run_count++] = {element, count};
    batch_.count += count;
    return count;
  }

  const PlanItem& item_;
  const AxisLayout& layout_;
  const Tile& tile_;
  const size_t size_;
  const std::vector<std::byte> input_;
  const std::vector<std::byte> upstream_;
  FunctionCursor cursor_;
  const bool is_one_function_;
  Batch batch_;
};

}  // namespace

void RunStretch(const Work& work, size_t begin, size_t count) {
  ElementReader input(work.item.input);
  input.MoveTo(begin);
  std::optional<ElementReader> upstream;
  if (work.item.upstream) upstream.emplace(*work.item.upstream).MoveTo(begin);
  FunctionCursor function(work.item);
  BiasCursor bias(work.item);
  for (size_t done = 0; done < count;) {
    const size_t first = begin + done;
    size_t some = std::min({count - done, input.Available(), function.SharedFrom(first)});
    if (upstream) some = std::min(some, upstream->Available());
    function.MoveTo(first);
    const std::byte* const addends = bias.Data(first, some);
    const engine::Operands operands = {
        .input = input.Data(), .upstream = upstream ? upstream->Data() : nullptr, .bias = addends};
    ForEachResult(work, function.function(), operands,
                  [&](const engine::Operation& operation, const ReplyTensor& tensor,
                      const engine::Operands& given, std::byte* destination) {
                    RunOne(work, operation, tensor, given, some,
                           destination + first * ReplyElementSize(tensor));
                  });
    input.Advance(some);
    if (upstream) upstream->Advance(some);
    done += some;
  }
}

void RunTile(const Work& work, const AxisLayout& layout, const Tile& tile) {
  Gatherer gatherer(work.item, layout, tile);
  gatherer.ForEachBatch([&](size_t, const engine::Function& function, const Batch& batch) {
    ForEachResult(work, function, batch.Operands(work.item),
                  [&](const engine::Operation& operation, const ReplyTensor& tensor,
                      const engine::Operands& operands, std::byte* destination) {
                    std::array<std::byte, kBatch * sizeof(double)> results;
                    RunOne(work, operation, tensor, operands, batch.count, results.data());
                    const size_t size = ReplyElementSize(tensor);
                    const std::byte* from = results.data();
                    for (size_t run = 0; run < batch.run_count; ++run) {
                      const auto& [element, count] = batch.runs[run];
                      std::memcpy(destination + element * size, from, count * size);
                      from += count * size;
                    }
                  });
  });
}

void AddGradientOfTile(const PlanItem& item, int what, const AxisLayout& layout, const Tile& tile,
                       std::span<engine::PreciseSum> sums) {
  Gatherer gatherer(item, layout, tile);
  gatherer.ForEachBatch([&](size_t k, const engine::Function& function, const Batch& batch) {
    engine::AddGradient(function, what, item.input.type, batch.Operands(item), batch.count,
                        sums[k]);
  });
}

}  // namespace activation::server
