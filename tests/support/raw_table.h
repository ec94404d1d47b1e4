// Reads measured tables that are too large to ship from the folder that SPILLWAY_MEASURED_DATA names. Each
// row holds the last `columns` columns of a gzipped CSV file with a header.
#pragma once

#include <cstdio>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "platform/measured_operators.h"
#include "support/measured_data.h"

namespace spillway::testing {

using RawRow = std::vector<double>;

inline std::vector<RawRow> raw_rows(const std::string& gzipped, std::size_t columns) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(("gzip -dc '" + gzipped + "'").c_str(), "r"),
                                                   pclose);
  std::vector<RawRow> rows;
  char line[512];
  for (bool header = true; pipe && std::fgets(line, sizeof line, pipe.get()); header = false) {
    if (header) continue;
    std::vector<std::string> fields;
    std::istringstream text(line);
    for (std::string field; std::getline(text, field, ',');) fields.push_back(field);
    RawRow row;
    for (std::size_t i = fields.size() - columns; i < fields.size(); ++i) row.push_back(std::stod(fields[i]));
    rows.push_back(row);
  }
  return rows;
}

// Returns the folder compute/aiconfigurator (ai-dynamo/aiconfigurator at 095f58a5), or nullopt if the
// variable is unset.
inline std::optional<std::string> raw_folder() {
  return measured_data("compute/aiconfigurator/");
}

inline std::vector<MeasuredGemm> raw_gemms(const std::string& system) {
  std::vector<MeasuredGemm> table;
  for (const RawRow& row : raw_rows(*raw_folder() + system + "_sxm__gemm_bf16.csv.gz", 4))
    table.push_back({row[0], row[1], row[2], milliseconds(row[3])});
  return table;
}

inline std::vector<MeasuredAttention> raw_encoder_attention() {
  std::vector<MeasuredAttention> table;
  for (const RawRow& row : raw_rows(*raw_folder() + "h200_sxm__encoder_attention.csv.gz", 5))
    table.push_back({false, false, row[0], row[1], row[2], row[2], row[3], row[3], milliseconds(row[4])});
  return table;
}

}  // namespace spillway::testing
