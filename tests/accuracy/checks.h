// Runs the engine on every instruction set and compares its bits with the oracle's. The oracle is
// asked once per input; all targets are compared with that answer.
#ifndef ACTIVATION_TESTS_ACCURACY_CHECKS_H_
#define ACTIVATION_TESTS_ACCURACY_CHECKS_H_

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "proto/element_type.h"
#include "server/engine/engine.h"
#include "tests/support/oracle.h"

namespace activation::accuracy {

// One test's parameter: an activation and an input type.
struct Subject {
  const engine::Spec* spec;
  DataType type;
};
// As "gelu_FLOAT32", to name a test.
std::string NameOf(const Subject& subject);
// So that a test's name does not depend on addresses.
inline void PrintTo(const Subject& subject, std::ostream* out) { *out << NameOf(subject); }

// Every activation of the catalogue with each of the types.
std::vector<Subject> Subjects(std::span<const DataType> types);
// The types of which every value can be tried, of at most 16 bits; and the others.
std::vector<DataType> SmallTypes();
std::vector<DataType> LargeTypes();

// The oracle of an activation; made once. Fails the process if the spec's formula does not parse.
const oracle::Oracle& OracleOf(const engine::Spec& spec);

// Packed little-endian elements from bits, and back.
std::vector<std::byte> Pack(DataType type, const std::vector<uint64_t>& bits);
std::vector<uint64_t> Unpack(DataType type, const std::vector<std::byte>& data);

// The engine's results, on the target in use. No upstream, no bias: empty.
std::vector<uint64_t> RunEngine(const engine::Operation& operation,
                                const std::vector<uint64_t>& inputs,
                                const std::vector<uint64_t>& upstreams = {},
                                const std::vector<uint64_t>& biases = {});

// "gelu_sigma(sigma=0.5)' FLOAT32 -> FLOAT16".
std::string Describe(const engine::Operation& operation);

// Fails the current test for each result that is not the oracle's on some target (the first few of
// an operation are printed, the rest counted), and if the oracle could not decide. A FLOAT64 result
// may be within 1 ULP; the largest error of each operation is printed when the program ends.
void Check(const engine::Operation& operation, const std::vector<uint64_t>& inputs,
           const std::vector<uint64_t>& upstreams = {});

}  // namespace activation::accuracy

#endif  // ACTIVATION_TESTS_ACCURACY_CHECKS_H_
