#include "sweep/table/table.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "evaluate/memory_limit.h"
#include "sweep/table/axis.h"
#include "words/spread.h"

namespace spillway {
namespace {

using Draws = std::vector<double>;

void set(SweepRow& row, SweepFigure figure, double value) {
  if (std::isfinite(value)) row[figure] = value;
}

Draws numbers(const std::vector<Seconds>& times) {
  Draws values;
  for (const Seconds time : times) values.push_back(time.value());
  return values;
}

// Combines draw by draw. Contract: both have the same length.
template <class Combine>
Draws paired(const Draws& a, const Draws& b, Combine combine) {
  Draws values(a.size());
  std::transform(a.begin(), a.end(), b.begin(), values.begin(), combine);
  return values;
}

// Returns 1 if both are equal, also if both are 0.
double ratio(double over, double under) {
  return over == under ? 1 : over / under;
}

void set_makespan(SweepRow& row, const Draws& makespans) {
  const Spread makespan = spread(makespans);
  set(row, SweepFigure::MakespanMean, makespan.mean);
  set(row, SweepFigure::MakespanP5, makespan.p5);
  set(row, SweepFigure::MakespanP50, makespan.p50);
  set(row, SweepFigure::MakespanP95, makespan.p95);
  set(row, SweepFigure::MakespanP99, makespan.p99);
  set(row, SweepFigure::MakespanInterval, makespan.ci95);
}

void set_comparison(SweepRow& row, const Draws& makespans, const Draws& baseline) {
  const Spread speedup = spread(paired(baseline, makespans, ratio));
  set(row, SweepFigure::SpeedupMean, speedup.mean);
  set(row, SweepFigure::SpeedupInterval, speedup.ci95);
  const Spread difference = spread(paired(makespans, baseline, std::minus<>()));
  set(row, SweepFigure::DifferenceMean, difference.mean);
  set(row, SweepFigure::DifferenceInterval, difference.ci95);
}

void set_step(SweepRow& row, const ScheduleOutcome& schedule) {
  for (std::size_t i = 0; i < kKeptFigures.size(); ++i)
    set(row, *sweep_figure(kKeptFigures[i].column->name), spread(schedule.figures[i]).mean);
  if (schedule.spills.empty()) return;
  const auto mean = [&](auto value_of) {
    Draws values;
    for (const StepSpill& spill : schedule.spills) values.push_back(value_of(spill));
    return spread(std::move(values)).mean;
  };
  set(row, SweepFigure::MaxSpill, mean([](const StepSpill& s) { return s.max_spill.value(); }));
  set(row, SweepFigure::ExposedEncoder, mean([](const StepSpill& s) { return s.exposed_encoder.value(); }));
  set(row, SweepFigure::EncoderToBubble, mean([](const StepSpill& s) { return s.encoder_to_bubble; }));
}

void set_contention(SweepRow& row, const ScheduleOutcome& schedule) {
  if (schedule.replayed.empty()) return;
  const Draws shared = numbers(schedule.replayed);
  set(row, SweepFigure::SimGrid, spread(shared).mean);
  const auto longer = [](double simgrid, double path) { return ratio(simgrid, path) - 1; };
  set(row, SweepFigure::Contention, spread(paired(shared, numbers(schedule.makespans), longer)).mean);
}

void set_throughput(SweepRow& row, const std::vector<StepAccount>& accounts, const Draws& makespans) {
  if (accounts.empty()) return;
  const auto mean = [&](auto value_of) {
    Draws values;
    for (std::size_t draw = 0; draw < makespans.size(); ++draw)
      values.push_back(value_of(throughput(accounts[draw], Seconds(makespans[draw]))));
    return spread(std::move(values)).mean;
  };
  set(row, SweepFigure::Mfu, mean([](const Throughput& t) { return t.mfu; }));
  set(row, SweepFigure::TokensPerSecond, mean([](const Throughput& t) { return t.tokens_per_second; }));
  set(row, SweepFigure::UsefulTokensPerSecond,
      mean([](const Throughput& t) { return t.useful_tokens_per_second; }));
  set(row, SweepFigure::Fill, mean([](const Throughput& t) { return t.fill; }));
  set(row, SweepFigure::Devices, accounts.front().devices);
  if (!accounts.front().price) return;
  set(row, SweepFigure::UsdPerStep, mean([](const Throughput& t) { return t.cost->step.value(); }));
  set(row, SweepFigure::UsdPerUsefulTokens,
      mean([](const Throughput& t) { return t.cost->trillion_useful_tokens.value(); }));
}

void check(const SweepHeading& heading, const ScheduleOutcome& schedule, const PointOutcome& outcome) {
  const ScheduleOutcome& baseline = outcome.schedules[outcome.baseline];
  const std::size_t draws = schedule.makespans.size();
  ensure(draws > 0 && draws == baseline.makespans.size(), "schedules of a point have the same draws");
  ensure(schedule.replayed.size() == draws || (schedule.replayed.empty() && !heading.reports_replays),
         "a replayed point is replayed on every draw, and every one where the sweep reports replays");
  ensure(outcome.accounts.empty() || outcome.accounts.size() == draws,
         "a point has an account of each draw, or of none");
}

}  // namespace

std::vector<double> reported_makespans(const SweepHeading& heading, const ScheduleOutcome& schedule) {
  return numbers(heading.reports_replays ? schedule.replayed : schedule.makespans);
}

std::string place_text(const SweepHeading& heading, const std::vector<std::string>& values) {
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i)
    text += (i > 0 ? ", " : "") + axis_label(heading.axes[i]) + ' ' + axis_text(values[i]);
  return text.empty() ? "the only point" : text;
}

std::vector<SweepRow> sweep_rows(const SweepHeading& heading, const std::vector<std::string>& values,
                                 const PointOutcome& outcome) {
  ensure(values.size() == heading.axes.size(), "a value for every axis");
  if (!outcome.refusal.empty()) return {{values, "", false, {}, outcome.refusal}};
  ensure(outcome.baseline < outcome.schedules.size(), "the baseline is one of the schedules");
  const ScheduleOutcome& baseline = outcome.schedules[outcome.baseline];
  std::vector<SweepRow> rows;
  for (const ScheduleOutcome& schedule : outcome.schedules) {
    check(heading, schedule, outcome);
    SweepRow& row = rows.emplace_back(SweepRow{values, schedule.name, &schedule == &baseline, {}, ""});
    const Draws makespans = reported_makespans(heading, schedule);
    set_makespan(row, makespans);
    set_comparison(row, makespans, reported_makespans(heading, baseline));
    set_step(row, schedule);
    set_contention(row, schedule);
    set_throughput(row, outcome.accounts, makespans);
    if (schedule.peak_memory) set(row, SweepFigure::PeakMemory, schedule.peak_memory->value());
    row.evidence = schedule.evidence;
    row.unranked = schedule.unranked;
    row.fits = fits(schedule.peak_memory, outcome.memory_limit);
  }
  return rows;
}

}  // namespace spillway
