#include "traces/logs/step_lines.h"

#include <algorithm>
#include <map>
#include <set>

#include "traces/files/median.h"

namespace spillway {
namespace step_line_rules {
namespace {

std::string line_place(const PlacedLine& one) {
  return "line " + std::to_string(one.line);
}

std::uint32_t rank_of(const PlacedLine& one) {
  return one.step.rank.value_or(0);
}

// Stamps have whole seconds in Megatron's lines, and ranks write into one file, so a second may be lost.
constexpr Seconds kClockSlack = Seconds(1.5);

void check_clock(const std::vector<PlacedLine>& lines, Findings& findings) {
  std::map<std::uint32_t, const PlacedLine*> last;
  for (const PlacedLine& one : lines) {
    if (!one.step.stamp) continue;
    const PlacedLine*& before = last[rank_of(one)];
    const bool back = before && *one.step.stamp + kClockSlack < *before->step.stamp;
    if (back && one.step.number > before->step.number)
      findings.add(line_place(one), "a clock that runs forwards: a later step is written later",
                   std::to_string((*before->step.stamp - *one.step.stamp).value()) +
                       " s before the step of line " + std::to_string(before->line));
    before = &one;
  }
}

// By how much two statements of one time may differ: evaluations and checkpoints lie between lines, but a
// unit is wrong by a thousand.
constexpr double kAnotherUnit = 30;
constexpr std::size_t kFewestToJudge = 3;

void check_ratio(const std::vector<double>& ratios, const PlacedLine& first, const std::string& by,
                 Findings& findings) {
  if (ratios.size() < kFewestToJudge) return;
  const double ratio = median(ratios);
  if (ratio < kAnotherUnit && ratio > 1 / kAnotherUnit) return;
  findings.add(line_place(first), "times that agree with " + by,
               "times of another unit: they are " + std::to_string(ratio) + " times as long");
}

void check_units(const std::vector<PlacedLine>& lines, Findings& findings) {
  std::vector<double> by_clock, by_samples;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const StepLine& step = lines[i].step;
    if (!step.time) continue;
    if (step.batch && step.samples_per_s && *step.samples_per_s > 0)
      by_samples.push_back(step.time->value() * *step.samples_per_s / *step.batch);
    if (i == 0 || !step.stamp || !lines[i - 1].step.stamp || step.number <= lines[i - 1].step.number)
      continue;
    const double passed = (*step.stamp - *lines[i - 1].step.stamp).value();
    const auto steps = static_cast<double>(step.number - lines[i - 1].step.number);
    if (passed >= 2) by_clock.push_back(step.time->value() * steps / passed);
  }
  if (lines.empty()) return;
  check_ratio(by_clock, lines.front(), "the clock of their lines", findings);
  check_ratio(by_samples, lines.front(), "the samples per second beside them", findings);
}

}  // namespace
}  // namespace step_line_rules

void check_lines(const std::vector<PlacedLine>& lines, Findings& findings) {
  using namespace step_line_rules;
  for (const PlacedLine& one : lines)
    if (!one.step.refused_expected.empty())
      findings.add(line_place(one), one.step.refused_expected, one.step.refused_found);
  check_clock(lines, findings);
  check_units(lines, findings);
}

std::vector<PlacedLine> timed_lines(std::vector<PlacedLine> lines, std::vector<Note>& notes) {
  using namespace step_line_rules;
  std::map<std::uint32_t, PlacedLine> last;
  std::vector<PlacedLine> timed;
  std::size_t first = 0, repeated = 0;
  for (PlacedLine& one : lines) {
    const auto before = last.find(rank_of(one));
    const bool again =
        !one.step.time && before != last.end() && before->second.step.number == one.step.number;
    if (again && ++repeated) continue;
    PlacedLine kept = one;
    const bool ascends = before != last.end() && before->second.step.number < one.step.number;
    if (!one.step.time && ascends && one.step.stamp && before->second.step.stamp) {
      const auto steps = static_cast<double>(one.step.number - before->second.step.number);
      kept.step.time = (*one.step.stamp - *before->second.step.stamp) / steps;
    }
    last.insert_or_assign(rank_of(one), one);
    if (kept.step.time && *kept.step.time > Seconds())
      timed.push_back(std::move(kept));
    else
      ++first;
  }
  if (first > 0)
    notes.push_back({NoteKind::Dropped, first, "steps without a line before, so without a time"});
  if (repeated > 0)
    notes.push_back({NoteKind::Dropped, repeated, "lines of a step that its rank wrote before"});
  return timed;
}

std::vector<PlacedLine> longest_run(std::vector<PlacedLine> lines, std::vector<Note>& notes) {
  using namespace step_line_rules;
  std::vector<std::vector<PlacedLine>> runs;
  std::map<std::uint32_t, std::uint64_t> last;
  for (PlacedLine& one : lines) {
    const auto before = last.find(rank_of(one));
    const bool falls = before != last.end() && one.step.number <= before->second;
    if (runs.empty() || falls) {
      runs.emplace_back();
      last.clear();
    }
    last[rank_of(one)] = one.step.number;
    runs.back().push_back(std::move(one));
  }
  if (runs.empty()) return {};
  if (runs.size() > 1)
    notes.push_back({NoteKind::Read, runs.size(), "runs in one log, of which the longest counts"});
  return *std::ranges::max_element(runs, {}, &std::vector<PlacedLine>::size);
}

std::vector<PlacedLine> of_one_batch(std::vector<PlacedLine> lines, std::vector<Note>& notes) {
  std::map<double, std::size_t> counts;
  for (const PlacedLine& one : lines)
    if (one.step.batch) ++counts[*one.step.batch];
  if (counts.size() < 2) return lines;
  const double usual =
      std::ranges::max_element(counts, {}, [](const auto& one) { return one.second; })->first;
  const std::size_t dropped =
      std::erase_if(lines, [&](const PlacedLine& one) { return one.step.batch && *one.step.batch != usual; });
  notes.push_back({NoteKind::Dropped, dropped, "steps of another batch than most"});
  return lines;
}

std::vector<LoggedStep> logged_steps(const std::vector<PlacedLine>& lines) {
  std::vector<LoggedStep> steps;
  std::map<std::uint64_t, std::size_t> places;
  for (const PlacedLine& one : lines) {
    const auto [place, fresh] = places.emplace(one.step.number, steps.size());
    if (fresh)
      steps.push_back({one.step.number, *one.step.time, one.line, one.step.batch, one.step.tokens_per_s,
                       one.step.flops_per_s, one.step.utilization, one.step.memory});
    LoggedStep& step = steps[place->second];
    step.time = std::max(step.time, *one.step.time);
    if (one.step.memory) step.memory = std::max(step.memory.value_or(Bytes()), *one.step.memory);
  }
  return steps;
}

std::vector<LoggedRank> logged_ranks(const std::vector<PlacedLine>& lines,
                                     const std::vector<LoggedStep>& steps, std::size_t first) {
  std::set<std::uint64_t> steady;
  for (std::size_t i = first; i < steps.size(); ++i) steady.insert(steps[i].number);
  std::map<std::uint32_t, std::pair<Seconds, std::size_t>> sums;
  for (const PlacedLine& one : lines) {
    if (!steady.contains(one.step.number)) continue;
    auto& [sum, count] = sums[step_line_rules::rank_of(one)];
    sum += *one.step.time;
    ++count;
  }
  std::vector<LoggedRank> ranks;
  if (sums.size() < 2) return ranks;
  for (const auto& [rank, sum] : sums) ranks.push_back({rank, sum.first / static_cast<double>(sum.second)});
  return ranks;
}

}  // namespace spillway
