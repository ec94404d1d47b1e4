// A sweep's results as a file: rows are written as they come, none is kept.
#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

#include "sweep/table/table.h"

namespace spillway {

// Numbers read back as they were, whatever the locale; the same results, the same bytes.
//   csv   RFC 4180 with plain line feeds; what there is not is empty, an axis' value JSON text, without its
//         quotes where it is a plain string
//   json  spillway/sweep-results/1: the heading, the columns with units and meanings, the rows; what there is
//         not is null
enum class SweepFormat { Csv, Json };

class SweepExport {
 public:
  // Writes what stands before the rows.
  SweepExport(std::ostream& out, SweepHeading heading, SweepFormat format);

  // A point in grid order; null where it has no outcome yet, which gives no row.
  void add(const std::vector<std::string>& values, const PointOutcome* outcome);

  // Writes what stands after the rows. Returns how many points had no outcome.
  std::size_t finish();

 private:
  void add_csv(const SweepRow& row);
  void add_json(const SweepRow& row);

  std::ostream& out_;
  SweepHeading heading_;
  SweepFormat format_;
  std::vector<std::string> keys_;  // by column, as JSON strings
  bool any_ = false;
  std::size_t missing_ = 0;
};

}  // namespace spillway
