#include "tests/bench/tensors.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <new>
#include <random>

#include "proto/element_type.h"

namespace activation::bench {
namespace {

constexpr size_t kAlignment = 64;  // bytes
constexpr size_t kPeriod = 1 << 20;
// The smallest normal number of float16, whose exponents reach least far.
constexpr double kSmallestNormal = 0x1p-14;

}  // namespace

Tensor::Tensor(DataType type, size_t count)
    : size_(count * SizeOf(type)),
      data_(static_cast<std::byte*>(
          std::aligned_alloc(kAlignment, (size_ + kAlignment - 1) / kAlignment * kAlignment))) {
  if (data_ == nullptr) throw std::bad_alloc();
  std::memset(data_.get(), 0, size_);
}

void Tensor::Free::operator()(std::byte* data) const { std::free(data); }

Tensor MakeNormal(DataType type, size_t count, unsigned seed, double deviation) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal(0, deviation);
  Tensor tensor(type, count);
  const size_t size = SizeOf(type);
  for (size_t i = 0; i < std::min(count, kPeriod); ++i) {
    double value = normal(random);
    while (std::abs(value) < kSmallestNormal) value = normal(random);
    Encode(type, &value, 1, tensor.bytes() + i * size);
  }
  for (size_t i = kPeriod; i < count; i += kPeriod) {
    std::memcpy(tensor.bytes() + i * size, tensor.bytes(), std::min(kPeriod, count - i) * size);
  }
  return tensor;
}

Tensor MakeInput(DataType type, size_t count) {
  return MakeNormal(type, count, kInputSeed, kInputDeviation);
}

Tensor MakeUpstream(DataType type, size_t count) {
  return MakeNormal(type, count, kUpstreamSeed, kUpstreamDeviation);
}

}  // namespace activation::bench
