// How wrong the model is known to be, by published tables of measured steps: what two layouts have to differ
// by to be told apart.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "search/job.h"

namespace spillway {

// Of a table that has several layouts of a model: the mean distance of a row's error from the mean error of
// its model's rows. What is common to all layouts of a job does not change their order.
struct LayoutError {
  std::string_view table;        // workloads/published/TABLE.json
  std::string_view accelerator;  // how its name begins
  double scatter;
  std::size_t rows;
};

// Of a table: the mean absolute error, which stands between two machines.
struct ModelError {
  std::string_view table;
  std::string_view accelerator;
  bool images;   // of models with an encoder
  bool experts;  // of models with experts
  double error;
  std::size_t rows;
};

// Over rows that nothing was fitted to, by the longest path (`spillway validate`).
std::span<const LayoutError> layout_errors();
std::span<const ModelError> model_errors();

// The accelerator's own table; where it has none, the one with the most rows.
const LayoutError& layout_error(const JobCluster& cluster);
// Images before experts before the accelerator, and then its maker; of equally near ones the largest.
const ModelError& model_error(const JobCluster& cluster);

// By which share two plans have to differ to be told apart. Contract: clusters of one job.
double margin(const JobCluster& one, const JobCluster& other);

}  // namespace spillway
