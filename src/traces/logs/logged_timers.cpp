#include "traces/logs/logged_timers.h"

#include <algorithm>

#include "json/node.h"

namespace spillway {

void LoggedTimers::take(std::string_view line, std::size_t number, std::size_t after) {
  for (const TimerValue& value : lines_.take(line)) {
    auto known = by_name_.find(value.name);
    if (known == by_name_.end()) {
      known = by_name_.emplace(std::string(value.name), std::vector<Line>()).first;
      names_.emplace_back(value.name);
    }
    known->second.push_back({number, after, value.least, value.most, value.rank, value.slowest_only});
  }
}

namespace {

constexpr double kLongestTimer = 1e6;  // seconds

bool is_time(Seconds time) {
  return time.value() >= 0 && time.value() <= kLongestTimer;
}

Seconds mean_of_times(const std::vector<Seconds>& times) {
  Seconds sum;
  for (const Seconds time : times) sum += time;
  return sum / static_cast<double>(times.size());
}

std::vector<Seconds> means_by_rank(const std::map<std::uint32_t, std::vector<Seconds>>& ranks) {
  std::vector<Seconds> means;
  for (const auto& [rank, times] : ranks) means.push_back(mean_of_times(times));
  return means;
}

}  // namespace

void LoggedTimers::check(Findings& findings) const {
  for (const std::string& name : names_)
    for (const Line& line : by_name_.find(name)->second) {
      if (is_time(line.least) && is_time(line.most)) continue;
      const Seconds none = is_time(line.least) ? line.most : line.least;
      findings.add("line " + std::to_string(line.number), "milliseconds from 0 to 1e9 of the timer " + name,
                   describe({none / milliseconds(1)}));
    }
}

std::vector<LoggedTimer> LoggedTimers::finish(std::size_t skipped) const {
  std::vector<LoggedTimer> timers;
  for (const std::string& name : names_) {
    std::vector<Seconds> least, most;
    std::map<std::uint32_t, std::vector<Seconds>> ranks;
    for (const Line& line : by_name_.find(name)->second) {
      if (line.after <= skipped) continue;
      least.push_back(line.least);
      most.push_back(line.most);
      if (line.rank) ranks[*line.rank].push_back(line.least);
    }
    if (least.empty()) continue;
    LoggedTimer timer{name, least.size(), mean_of_times(least), mean_of_times(most), means_by_rank(ranks)};
    timer.slowest_only = by_name_.find(name)->second.back().slowest_only;
    if (!ranks.empty()) {
      const auto [lowest, highest] = std::ranges::minmax(timer.by_rank);
      timer.lines = ranks.begin()->second.size();
      timer.least = lowest;
      timer.most = highest;
    }
    timers.push_back(std::move(timer));
  }
  return timers;
}

}  // namespace spillway
