// Row functions over parts of a plan's item.
#ifndef ACTIVATION_SERVER_EVALUATE_ROWWISE_H_
#define ACTIVATION_SERVER_EVALUATE_ROWWISE_H_

#include <cstddef>

#include "server/evaluate/elementwise.h"

namespace activation::server {

// Rows from `first` on, counted in the order in which their first elements lie.
void RunRows(const Work& work, size_t first, size_t count);

}  // namespace activation::server

#endif  // ACTIVATION_SERVER_EVALUATE_ROWWISE_H_
