// The known error of the model, from published tables of measured steps. Two layouts must differ by more than
// it to be told apart.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "json/file_memory.h"

namespace spillway {

struct JobCluster;
struct PlanJob;

// The error in one table, by the longest path, over the rows to which nothing was fitted (`spillway
// validate`).
struct KnownError {
  std::string table;        // workloads/published/TABLE.json
  std::string accelerator;  // the beginning of its name
  double share;
  std::uint32_t rows;
  bool images = false;   // true for models with an encoder
  bool experts = false;  // true for models with experts
};

// Its format is spillway/known-errors/1; see `spillway schema known-errors`. Neither list is empty.
struct KnownErrors {
  // From tables with several layouts of a model: the mean distance of a row's error from the mean error of
  // its model's rows. An error that all layouts of a job share does not change their order.
  std::vector<KnownError> between_layouts;
  // The mean absolute error, which applies between two machines.
  std::vector<KnownError> between_clusters;
};

// Reads workloads/errors/known-errors.json, which comes with the program. Throws InputError with every
// violation, or if the file is missing.
KnownErrors shipped_known_errors(const Files& files);
KnownErrors read_known_errors(const std::string& path, const Files& files);

// Returns the accelerator's own table, or else the table with the most rows.
const KnownError& layout_error(const PlanJob& job, const JobCluster& cluster);
// Returns the nearest table. Images count most, then experts, the accelerator and its maker. Among equally
// near tables it returns the one with the largest error.
const KnownError& cluster_error(const PlanJob& job, const JobCluster& cluster);

// Returns the share by which two plans must differ to be told apart. Frameworks of one stated cluster count
// as layouts do, since no table measures two of them on one job. Contract: both clusters belong to the job.
double margin(const PlanJob& job, const JobCluster& one, const JobCluster& other);

}  // namespace spillway
