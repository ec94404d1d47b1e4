// Neither other schedules of the document nor earlier runs change a schedule's figures: a cached order, draw
// or price must never answer for another.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "documents.h"
#include "law_list.h"
#include "sweep/grid/file.h"

namespace spillway::testing {
namespace {

// Fits and the baseline name schedules; without them any list of schedules is an experiment.
Json with_schedules(Json document, Json entries) {
  document.erase("fit");
  document.erase("baseline");
  document["schedules"] = std::move(entries);
  return document;
}

// Returns the job's schedules, and each of them again without one of its keys: a cache may confuse orders
// that differ in one key.
Json with_near_relatives(const Json& document) {
  Json all = document["schedules"];
  for (const Json& entry : document["schedules"]) {
    for (const auto& [key, value] : entry.items()) {
      Json relative = entry;
      relative.erase(key);
      relative["name"] = entry["name"].get<std::string>() + " without " + key;
      if (key != "name" && is_experiment(with_schedules(document, {relative})))
        all.push_back(std::move(relative));
    }
  }
  return all;
}

Json reversed(Json entries) {
  std::reverse(entries.begin(), entries.end());
  return entries;
}

std::optional<std::string> differing(const PointOutcome& company, const ScheduleOutcome& alone) {
  const auto same_name = [&](const ScheduleOutcome& one) { return one.name == alone.name; };
  const auto found = std::ranges::find_if(company.schedules, same_name);
  if (*found == alone) return std::nullopt;
  return alone.name + ": " + text(found->makespans.front()) + " beside the others, " +
         text(alone.makespans.front()) + " alone, or another figure";
}

// Compares figures that only a report has, such as its terms and the encoder's times.
bool reported_alike(const ScheduleResult& one, const ScheduleResult& other) {
  const auto times = [](const ScheduleResult& of) {
    using Times = std::tuple<Seconds, Seconds, Seconds>;
    return of.encoder ? std::optional<Times>({of.encoder->least, of.encoder->mean, of.encoder->most})
                      : std::nullopt;
  };
  return one.terms == other.terms && times(one) == times(other) && one.assumptions == other.assumptions &&
         one.split == other.split && one.kept_terms == other.kept_terms;
}

// Compares replays by SimGrid, whose clock goes on from run to run, so that last digits may differ.
Verdict replayed_alike(const Json& document, const Json& entries) {
  const auto replayed = [&](const Json& of) {
    return evaluate(experiment_of(with_schedules(document, of).dump()), {.run = {Engine::SimGrid}}).schedules;
  };
  const std::vector<ScheduleResult> company = replayed(entries);
  for (std::size_t i = 0; i < company.size(); ++i) {
    const std::vector<ScheduleResult> alone = replayed(Json::array({entries[i]}));
    if (!reported_alike(company[i], alone[0]))
      return broken(company[i].name + ": its terms, or its encoder's times, are others beside the others");
    for (std::size_t draw = 0; draw < company[i].draws.size(); ++draw) {
      const Seconds is = company[i].draws[draw].step.makespan, due = alone[0].draws[draw].step.makespan;
      if (!equal(is, due))
        return broken(company[i].name + " by SimGrid: " + text(is) + " beside the others, " + text(due) +
                      " alone");
    }
  }
  return kHolds;
}

}  // namespace

Verdict schedules_know_no_company(const Case& one) {
  const Json document = Json::parse(one.job().document);
  const Json entries = with_near_relatives(document);
  const PointOutcome company = outcome_of(experiment_of(with_schedules(document, entries).dump())),
                     turned = outcome_of(experiment_of(with_schedules(document, reversed(entries)).dump()));
  for (const Json& entry : entries) {
    const ScheduleOutcome alone =
        outcome_of(experiment_of(with_schedules(document, Json::array({entry})).dump())).schedules.front();
    for (const PointOutcome* of : {&company, &turned})
      if (const auto what = differing(*of, alone)) return broken(*what);
  }
  return replayed_alike(document, entries);
}

Verdict a_sweeps_point_stands_alone(const Case& one) {
  const Json document = Json::parse(one.job().document);
  const Json entries = with_near_relatives(document);
  const Json first = with_schedules(document, Json::array({entries[0]}));
  const Json sweep = {{"schema", "spillway/sweep/1"},
                      {"name", "near relatives"},
                      {"experiment", first},
                      {"draws", first.value("draws", 1)},
                      {"seed", first.value("seed", 1)},
                      {"axes", Json::array({{{"pointer", "/schedules/0"}, {"values", entries}}})}};
  const SweepFile points{Source("sweep.json", sweep.dump())};
  Caches shared;
  for (std::size_t point = 0; point < points.points(); ++point) {
    const PointOutcome is = evaluate_point(points.experiment(point), shared),
                       alone = outcome_of(
                           experiment_of(with_schedules(document, Json::array({entries[point]})).dump()));
    // Warnings are not compared: a sweep reports once for all points that a key changes nothing.
    if (is.schedules != alone.schedules || is.accounts != alone.accounts ||
        is.memory_limit != alone.memory_limit)
      return broken("point " + std::to_string(point) + ", " + entries[point]["name"].get<std::string>() +
                    ": another figure than alone");
  }
  return kHolds;
}

Verdict a_second_run_is_the_first(const Case& one) {
  Caches caches;
  const PointOutcome first = evaluate_point(one.experiment(), caches);
  return evaluate_point(one.experiment(), caches) == first && first == one.outcome()
             ? kHolds
             : broken("the second run in one process says something else");
}

}  // namespace spillway::testing
