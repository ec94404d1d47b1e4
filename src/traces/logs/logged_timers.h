// Collects Megatron's timers over the lines of a log. Private to src/traces.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/findings.h"
#include "traces/logs/log_lines.h"
#include "traces/logs/step_log.h"

namespace spillway {

class LoggedTimers {
 public:
  // `number` is that of the line in the file; `after`: how many lines of steps came before.
  void take(std::string_view line, std::size_t number, std::size_t after);

  // Adds the lines whose times are none.
  void check(Findings& findings) const;

  // Means over the lines that come after more than `skipped` lines of steps, unless there are none.
  std::vector<LoggedTimer> finish(std::size_t skipped) const;

 private:
  struct Line {
    std::size_t number, after;
    Seconds least, most;
    std::optional<std::uint32_t> rank;
    bool slowest_only;
  };

  TimerLines lines_;
  std::vector<std::string> names_;  // in the order in which they appeared
  std::map<std::string, std::vector<Line>, std::less<>> by_name_;
};

}  // namespace spillway
