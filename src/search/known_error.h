// How wrong the model is known to be, by published tables of measured steps: what two layouts have to differ
// by to be told apart.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "json/file_memory.h"

namespace spillway {

struct JobCluster;
struct PlanJob;

// Of a table, over its rows that nothing was fitted to, by the longest path (`spillway validate`).
struct KnownError {
  std::string table;        // workloads/published/TABLE.json
  std::string accelerator;  // how its name begins
  double share;
  std::uint32_t rows;
  bool images = false;   // of models with an encoder
  bool experts = false;  // of models with experts
};

// spillway/known-errors/1, see `spillway schema known-errors`. Neither list is empty.
struct KnownErrors {
  // Of tables that have several layouts of a model: the mean distance of a row's error from the mean error of
  // its model's rows. What is common to all layouts of a job does not change their order.
  std::vector<KnownError> between_layouts;
  // The mean absolute error, which stands between two machines.
  std::vector<KnownError> between_clusters;
};

// Of the file that comes with the program, workloads/errors/known-errors.json. Throws InputError with every
// violation, and where there is no such file.
KnownErrors shipped_known_errors(const Files& files);
KnownErrors read_known_errors(const std::string& path, const Files& files);

// The accelerator's own table; where it has none, the one with the most rows.
const KnownError& layout_error(const PlanJob& job, const JobCluster& cluster);
// Images before experts before the accelerator, and then its maker; of equally near ones the largest.
const KnownError& cluster_error(const PlanJob& job, const JobCluster& cluster);

// By which share two plans have to differ to be told apart. Contract: clusters of the job.
double margin(const PlanJob& job, const JobCluster& one, const JobCluster& other);

}  // namespace spillway
