// Random inputs and parameters, the same in every run.
#ifndef ACTIVATION_TESTS_ACCURACY_EXHAUSTIVE_INPUTS_H_
#define ACTIVATION_TESTS_ACCURACY_EXHAUSTIVE_INPUTS_H_

#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "proto/element_type.h"
#include "server/engine/engine.h"
#include "tests/support/oracle.h"

namespace activation::accuracy {

using Generator = std::mt19937_64;

// Numbers in increasing order have increasing places; -0 is just below +0.
int64_t PlaceOf(DataType type, uint64_t bits);
uint64_t AtPlace(DataType type, int64_t place);

// Where f or f' has a kink, and where the result changes its kind (see Breakpoints in
// ../samples.h), in increasing order.
std::vector<int64_t> PlacesOfChange(const oracle::Oracle& oracle,
                                    const engine::Operation& operation);

// Each parameter anywhere in its range: its magnitude is uniform in logarithm, over the whole range
// or (as often) over the ordinary numbers in it; now and then it is an end of the range or the
// default.
engine::Function RandomParameters(const engine::Spec& spec, Generator& generator);

// The filter is quickest where neighbours are alike.
void SortByBits(std::span<float> x);

// Fills x with inputs, sorted by bits, for a function with these kinks: any float; products of an
// ordinary number and a parameter or its inverse, which functions scale their inputs by; neighbours
// of kinks.
void RandomInputs(const engine::Function& function, std::span<const double> kinks,
                  Generator& generator, std::span<float> x);

// Fills x with doubles of any kind, of ordinary size, and near the places given.
void RandomInputs(std::span<const int64_t> places, Generator& generator, std::span<double> x);

}  // namespace activation::accuracy

#endif  // ACTIVATION_TESTS_ACCURACY_EXHAUSTIVE_INPUTS_H_
