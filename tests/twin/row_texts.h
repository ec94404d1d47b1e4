// Rows of measured passes, and refusals of them, as text.
#pragma once

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "base/error.h"
#include "twin/trace_rows.h"

namespace spillway::testing {

// "llm forward 4096 100 101", with rounded milliseconds.
inline std::vector<std::string> texts_of(const TraceRows& read) {
  std::vector<std::string> rows;
  for (const MeasuredRow& row : read.rows) {
    rows.push_back(row.stage + ' ' + row.direction + ' ' + row.tokens);
    for (const double ms : row.milliseconds) rows.back() += ' ' + std::to_string(std::lround(ms));
  }
  return rows;
}

// "expected | found" of the first violation; "" if there is none.
inline std::string first_refusal(const std::function<void()>& read) {
  try {
    read();
  } catch (const InputError& error) {
    return error.violations().front().expected + " | " + error.violations().front().found;
  }
  return "";
}

}  // namespace spillway::testing
