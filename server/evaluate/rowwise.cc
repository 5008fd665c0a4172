#include "server/evaluate/rowwise.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "proto/element_type.h"
#include "server/evaluate/encode.h"
#include "server/wire/reply.h"

namespace activation::server {
namespace {

// Some rows of a tensor: `length` elements each, `inner` apart.
struct Rows {
  size_t first;
  size_t count;
  size_t length;
  size_t inner;

  size_t elements() const { return count * length; }

  // Calls on_run(element, row, at, run): `run` elements side by side from `element` on are the
  // at-th of as many rows from `row` (less first) on.
  template <typename OnRun>
  void ForEachRun(OnRun on_run) const {
    for (size_t row = first; row < first + count;) {
      const size_t run = std::min(inner - row % inner, first + count - row);
      for (size_t at = 0; at < length; ++at) {
        on_run((row / inner * length + at) * inner + row % inner, row - first, at, run);
      }
      row += run;
    }
  }
};

// The rows one after the other; in place where they lie so.
class RowReader {
 public:
  RowReader(const Elements& elements, const Rows& rows) : reader_(elements) {
    const size_t size = SizeOf(elements.type);
    if (rows.inner == 1) {
      reader_.MoveTo(rows.first * rows.length);
      if (reader_.Available() >= rows.elements()) {
        data_ = reader_.Data();
        return;
      }
    }
    copy_.resize(rows.elements() * size);
    data_ = copy_.data();
    if (rows.inner == 1) {
      reader_.Copy(rows.first * rows.length, rows.elements(), copy_.data());
      return;
    }
    std::vector<std::byte> side_by_side(std::min(rows.inner, rows.count) * size);
    rows.ForEachRun([&](size_t element, size_t row, size_t at, size_t run) {
      reader_.Copy(element, run, side_by_side.data());
      for (size_t i = 0; i < run; ++i) {
        std::memcpy(copy_.data() + ((row + i) * rows.length + at) * size,
                    side_by_side.data() + i * size, size);
      }
    });
  }
  RowReader(const RowReader&) = delete;
  RowReader& operator=(const RowReader&) = delete;

  const std::byte* data() const { return data_; }

 private:
  ElementReader reader_;
  std::vector<std::byte> copy_;
  const std::byte* data_;
};

// Has run(output) write the rows packed, and brings them to where they lie in a reply.
template <typename Run>
void WriteRows(const ReplyTensor& tensor, const Rows& rows, std::byte* destination, Run run) {
  const size_t size = ReplyElementSize(tensor);
  if (rows.inner == 1) {
    return RunEncoded(tensor, rows.elements(), destination + rows.first * rows.length * size, run);
  }
  std::vector<std::byte> packed(rows.elements() * size);
  RunEncoded(tensor, rows.elements(), packed.data(), run);
  rows.ForEachRun([&](size_t element, size_t row, size_t at, size_t count) {
    for (size_t i = 0; i < count; ++i) {
      std::memcpy(destination + (element + i) * size,
                  packed.data() + ((row + i) * rows.length + at) * size, size);
    }
  });
}

}  // namespace

void RunRows(const Work& work, size_t first, size_t count) {
  const AxisLayout& layout = work.item.rows;
  const engine::RowSpec& spec = *work.item.activation->row;
  const Rows rows = {first, count, layout.extent, layout.inner};
  const Rows values = {first, count, layout.extent / (spec.halves ? 2 : 1), layout.inner};
  const RowReader input(work.item.input, rows);
  engine::RowOperation operation = {.spec = &spec,
                                    .quantity = engine::Quantity::kValue,
                                    .input_type = work.item.input.type,
                                    .output_type = work.reply.result.type};
  const auto run_values = [&](std::byte* output) {
    engine::RunRows(operation, input.data(), nullptr, output, count, layout.extent);
  };
  if (work.item.quantity == engine::Quantity::kValue) {
    return WriteRows(work.reply.result, values, work.destination.result, run_values);
  }
  if (work.reply.value) {
    WriteRows(*work.reply.value, values, work.destination.value, run_values);
  }
  operation.quantity = engine::Quantity::kDerivative;
  const RowReader upstream(*work.item.upstream, values);
  WriteRows(work.reply.result, rows, work.destination.result, [&](std::byte* output) {
    engine::RunRows(operation, input.data(), upstream.data(), output, count, layout.extent);
  });
}

}  // namespace activation::server
