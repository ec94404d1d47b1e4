// Lines of steps made comparable: one for each step of one run and one batch. Private to src/traces.
#pragma once

#include <string>
#include <vector>

#include "base/findings.h"
#include "traces/logs/log_lines.h"
#include "traces/logs/step_log.h"

namespace spillway {

struct PlacedLine {
  StepLine step;
  std::size_t line;  // in the file, from 1
};

// Adds what is wrong with single lines, and with their order and units, to `findings`.
void check_lines(const std::vector<PlacedLine>& lines, Findings& findings);

// Gives each line without a time that of the clock: the time since the rank's line before, by step. Lines
// without one before are dropped. Of such lines of a rank with one number, the first counts.
std::vector<PlacedLine> timed_lines(std::vector<PlacedLine> lines, std::vector<Note>& notes);

// Of a log that was appended to by several runs, each of which begins with a lower number, the longest run.
std::vector<PlacedLine> longest_run(std::vector<PlacedLine> lines, std::vector<Note>& notes);

// The lines with the batch that most of them have.
std::vector<PlacedLine> of_one_batch(std::vector<PlacedLine> lines, std::vector<Note>& notes);

// One step for each number: the slowest rank's.
std::vector<LoggedStep> logged_steps(const std::vector<PlacedLine>& lines);

// The mean time of each rank over the steps from index `first` on; empty unless there are several ranks.
std::vector<LoggedRank> logged_ranks(const std::vector<PlacedLine>& lines,
                                     const std::vector<LoggedStep>& steps, std::size_t first);

}  // namespace spillway
