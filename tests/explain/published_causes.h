// The published list of causes, read from docs/explain.md. Shares no code with the causes that are tried.
#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "explained_jobs.h"

namespace spillway {

struct PublishedCause {
  std::string key;                  // "/what_if/host_speed"
  std::vector<std::string> values;  // "0.4"
};

inline std::vector<std::string> cells_of(const std::string& row) {
  std::vector<std::string> cells;
  std::istringstream line(row);
  for (std::string cell; std::getline(line, cell, '|');) {
    const auto from = cell.find_first_not_of(" `"), to = cell.find_last_not_of(" `");
    cells.push_back(from == std::string::npos ? "" : cell.substr(from, to - from + 1));
  }
  return cells;
}

// The rows whose second cell is a JSON pointer.
inline std::vector<PublishedCause> published_causes() {
  std::vector<PublishedCause> causes;
  std::istringstream page(slurp(shipped("docs/explain.md")));
  for (std::string line; std::getline(page, line);) {
    const std::vector<std::string> cells = cells_of(line);
    if (cells.size() < 5 || !cells[2].starts_with('/')) continue;
    PublishedCause cause{cells[2], {}};
    std::istringstream values(cells[3]);
    for (std::string value; values >> value;) {
      if (value.ends_with(',')) value.pop_back();
      cause.values.push_back(value);
    }
    causes.push_back(cause);
  }
  return causes;
}

}  // namespace spillway
