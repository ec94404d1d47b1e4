// Exports a sweep's results to a file. Rows are written as they come, and none is kept.
#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

#include "sweep/table/table.h"

namespace spillway {

// Numbers read back exactly, whatever the locale. Equal results give equal bytes.
//   csv   RFC 4180 with plain line feeds. A missing value is empty. An axis' value is JSON text, without its
//         quotes if it is a plain string.
//   json  spillway/sweep-results/1: the heading, the columns with units and meanings, the rows. A missing
//         value is null.
enum class SweepFormat { Csv, Json };

class SweepExport {
 public:
  // Writes the text before the rows.
  SweepExport(std::ostream& out, SweepHeading heading, SweepFormat format);

  // Adds a point in grid order. A point without an outcome is null and gives no row.
  void add(const std::vector<std::string>& values, const PointOutcome* outcome);

  // Writes the text after the rows. Returns the number of points without an outcome.
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
