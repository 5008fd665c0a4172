// Condenses results of every activation to one line of digests each, so that a few kilobytes tell
// whether two machines, compilers or instruction sets return the same bits.
//
//   result_digest > FILE     the digests of this machine
//   result_digest FILE       compares with FILE on every instruction set that this machine has;
//   exit
//                            status 1 and a line for each difference if there are any
//
// Needs nothing but the engine, so that it can be built for machines that lack the other libraries.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "proto/element_type.h"
#include "server/engine/engine.h"
#include "tests/accuracy/targets.h"

namespace activation::accuracy {
namespace {

using engine::Quantity;

constexpr size_t kInputs = 1 << 16;

// SplitMix64 (G. Steele, D. Lea, C. Flood, OOPSLA 2014): the i-th of a sequence of random bits.
uint64_t RandomBits(uint64_t i) {
  uint64_t z = (i + 1) * 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

// Every number of a 2-byte type. Of the others random bits, and as many random numbers of a size
// where functions bend: 2^-24 to 2^8.
std::vector<std::byte> Inputs(DataType type) {
  const size_t size = SizeOf(type);
  std::vector<std::byte> inputs(kInputs * size);
  for (size_t i = 0; i < kInputs; ++i) {
    uint64_t bits = size == 2 ? i : RandomBits(i);
    if (size > 2 && i % 2 == 1) {
      const double fraction = 1 + static_cast<double>(bits >> 12) * 0x1p-52;
      const double x =
          std::ldexp(bits & 1 ? fraction : -fraction, static_cast<int>(bits >> 1 & 31) - 24);
      bits = type == DataType::kFloat32 ? std::bit_cast<uint32_t>(static_cast<float>(x))
                                        : std::bit_cast<uint64_t>(x);
    }
    std::memcpy(inputs.data() + i * size, &bits, size);  // the low bytes: little-endian
  }
  return inputs;
}

// FNV-1a (G. Fowler, L. C. Noll, K.-P. Vo) over bytes.
uint64_t Digest(const std::vector<std::byte>& bytes) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const std::byte byte : bytes) hash = (hash ^ static_cast<uint64_t>(byte)) * 0x100000001b3;
  return hash;
}

// "gelu derivative float32 0123456789abcdef" for all activations at default parameters.
std::vector<std::string> Lines() {
  std::vector<std::string> lines;
  for (const DataType type : kDataTypes) {
    const std::vector<std::byte> inputs = Inputs(type);
    std::vector<std::byte> results(inputs.size());
    for (const engine::Spec* spec : engine::Catalogue()) {
      for (const Quantity quantity : {Quantity::kValue, Quantity::kDerivative}) {
        engine::Run({engine::WithDefaults(*spec), quantity, type, type},
                    {.input = inputs.data(), .output = results.data()}, kInputs);
        char digest[17];
        std::snprintf(digest, sizeof(digest), "%016llx",
                      static_cast<unsigned long long>(Digest(results)));
        const char* const what = quantity == Quantity::kValue ? " value " : " derivative ";
        lines.push_back(spec->name + std::string(what) + NameOf(type) + ' ' + digest);
      }
    }
  }
  return lines;
}

int Compare(const char* path) {
  std::ifstream file(path);
  std::vector<std::string> expected;
  for (std::string line; std::getline(file, line);) expected.push_back(line);
  int differences = 0;
  ForEachTarget([&](const char* target) {
    const std::vector<std::string> lines = Lines();
    for (size_t i = 0; i < std::max(lines.size(), expected.size()); ++i) {
      const std::string actual = i < lines.size() ? lines[i] : "nothing";
      const std::string right = i < expected.size() ? expected[i] : "nothing";
      if (actual == right) continue;
      ++differences;
      std::cout << target << ": " << actual << ", but " << path << " has " << right << '\n';
    }
    std::cout << target << ": " << lines.size() << " digests compared\n";
  });
  return differences == 0 ? 0 : 1;
}

}  // namespace
}  // namespace activation::accuracy

int main(int argc, char** argv) {
  using namespace activation::accuracy;  // NOLINT(google-build-using-namespace): this is its
                                         // program
  if (argc == 2) return Compare(argv[1]);
  for (const std::string& line : Lines()) std::cout << line << '\n';
  return 0;
}
