// The straggler-analysis traces as rows, read without our importer. Columns are dp_rank, stage, rank, step,
// optype, start_ts, duration, seq_id, mc, mb_id, gmc; transfers have no microbatch.
#pragma once

#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "traces/events/trace.h"

namespace spillway::testing {

inline Trace straggler_rows(const std::string& path) {
  static const std::map<std::string, TraceKind> kinds = {
      {"forward-compute", TraceKind::Forward},      {"backward-compute", TraceKind::Backward},
      {"forward-send", TraceKind::SendForward},     {"forward-recv", TraceKind::ReceiveForward},
      {"backward-send", TraceKind::SendBackward},   {"backward-recv", TraceKind::ReceiveBackward},
      {"params-all-gather", TraceKind::Collective}, {"grads-reduce-scatter", TraceKind::Collective}};
  Trace trace;
  trace.format = "straggler-analysis";
  trace.files = {path};
  trace.names = {""};
  std::map<int, std::uint32_t> steps;
  std::vector<int> step_of;
  std::ifstream file(path);
  std::string line;
  for (std::getline(file, line); std::getline(file, line);) {
    std::istringstream text(line);
    std::vector<std::string> field;
    for (std::string part; std::getline(text, part, ',');) field.push_back(part);
    const auto kind = kinds.find(field[4]);
    if (kind == kinds.end()) continue;
    steps[std::stoi(field[3])] = 0;
    step_of.push_back(std::stoi(field[3]));
    const auto stage = static_cast<std::uint16_t>(std::stoi(field[1]));
    const std::uint32_t m =
        is_compute(kind->second) ? static_cast<std::uint32_t>(std::stoi(field[9])) : kUnknown;
    trace.events.push_back({Seconds(std::stod(field[5])), Seconds(std::stod(field[6])), 0, m, 0,
                            static_cast<std::uint16_t>(std::stoi(field[0])), stage, stage, 0, kind->second});
  }
  for (auto& [number, index] : steps) {
    index = static_cast<std::uint32_t>(trace.steps.size());
    trace.steps.push_back(std::to_string(number));
  }
  for (std::size_t i = 0; i < trace.events.size(); ++i) trace.events[i].step = steps[step_of[i]];
  normalise(trace);
  return trace;
}

}  // namespace spillway::testing
