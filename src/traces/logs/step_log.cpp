#include "traces/logs/step_log.h"

#include <algorithm>
#include <array>

#include "base/error.h"
#include "traces/files/line_source.h"
#include "traces/logs/logged_timers.h"
#include "traces/logs/step_lines.h"

namespace spillway {
namespace step_logs {
namespace {

struct LogFormat {
  std::string_view name;
  std::optional<StepLine> (*read)(std::string_view line);
};
constexpr std::array<LogFormat, 3> kLogFormats = {
    {{"megatron", megatron_line}, {"torchtitan", titan_line}, {"json-lines", json_step_line}}};

class LogReader {
 public:
  // The first format that reads a line is the file's.
  void take(std::string_view text, std::size_t line) {
    timers_.take(text, line, lines_.size());
    for (const LogFormat& format : kLogFormats) {
      if (format_ && format_ != &format) continue;
      auto step = format.read(text);
      if (!step) continue;
      format_ = &format;
      lines_.push_back({std::move(*step), line});
      return;
    }
  }

  // A number at the end of a line without an end may have lost digits.
  void leave_out_cut_line() {
    notes_.push_back({NoteKind::Dropped, 1, "lines without an end, the last of the file"});
  }

  std::optional<StepLog> finish(const std::string& path) &&;

 private:
  const LogFormat* format_ = nullptr;
  std::vector<PlacedLine> lines_;
  LoggedTimers timers_;
  std::vector<Note> notes_;
};

std::vector<Seconds> times_of(const std::vector<LoggedStep>& steps) {
  std::vector<Seconds> times;
  for (const LoggedStep& step : steps) times.push_back(step.time);
  return times;
}

// Steps end together on all ranks, so the time of a forward shows a slow rank better, if the log has it.
std::vector<std::uint32_t> slow_ranks_of(const StepLog& log) {
  std::vector<std::uint32_t> slow;
  const auto forward = std::ranges::find(log.timers, "forward-compute", &LoggedTimer::name);
  if (forward != log.timers.end())
    for (const std::size_t rank : slow_ones(forward->by_rank))
      slow.push_back(static_cast<std::uint32_t>(rank));
  if (!slow.empty()) return slow;
  std::vector<Seconds> means;
  for (const LoggedRank& rank : log.ranks) means.push_back(rank.mean);
  for (const std::size_t index : slow_ones(means)) slow.push_back(log.ranks[index].rank);
  return slow;
}

// Stands for a file whose lines were all dropped.
[[noreturn]] void refuse_without_times(const std::string& path, std::size_t lines) {
  throw InputError({{path, "/", "at least two lines of steps whose times can be told",
                     std::to_string(lines) + " lines of steps, and no time"}});
}

std::optional<StepLog> LogReader::finish(const std::string& path) && {
  if (!format_) return std::nullopt;
  Findings findings(path, kMostRefused);
  check_lines(lines_, findings);
  timers_.check(findings);
  findings.throw_if_any();
  std::vector<Note> notes = std::move(notes_);
  const std::size_t all = lines_.size();
  const std::vector<PlacedLine> lines =
      of_one_batch(longest_run(timed_lines(std::move(lines_), notes), notes), notes);
  std::vector<LoggedStep> steps = logged_steps(lines);
  if (steps.empty()) refuse_without_times(path, all);
  const SteadySteps steady = steady_steps(times_of(steps));
  std::vector<LoggedRank> ranks = logged_ranks(lines, steps, steady.warm_up);
  StepLog log{std::string(format_->name), path, std::move(steps), steady, timers_.finish(steady.warm_up),
              std::move(ranks),           {},   std::move(notes)};
  log.slow_ranks = slow_ranks_of(log);
  return log;
}

}  // namespace
}  // namespace step_logs

std::optional<StepLog> step_log(const std::string& path) {
  step_logs::LogReader reader;
  LineSource lines(path);
  while (const auto line = lines.next()) {
    if (lines.ended())
      reader.take(*line, lines.number());
    else
      reader.leave_out_cut_line();
  }
  return std::move(reader).finish(path);
}

bool may_be_log(std::string_view beginning) {
  if (beginning.find('\0') != beginning.npos) return false;
  if (!beginning.starts_with('{')) return !beginning.starts_with("[{");
  const std::string_view line = beginning.substr(0, beginning.find('\n'));
  return json_step_line(line).has_value();
}

}  // namespace spillway
