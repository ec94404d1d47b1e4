// What failures do to a plan: the share of its time that trains, and the days and US dollars that follow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "goodput/reliability.h"
#include "goodput/simulated_run.h"
#include "search/search.h"

namespace spillway {

struct PlanSpares {
  std::uint32_t nodes;         // spare nodes that are paid for
  std::uint32_t node_devices;  // of each
  bool stated;                 // by the job; otherwise as many as `chance` needs
  double chance;
  std::optional<std::uint32_t> needed;  // the least number with that chance, if there is one
  double enough;                        // share of time in which enough nodes work
};

struct PlanGoodput {
  double share;  // of the time that trains, waiting for nodes included
  FailingRun run;
  Bytes checkpoint;
  Seconds write;        // of a checkpoint
  std::uint64_t steps;  // between checkpoints
  Seconds interval;     // the same in seconds of training
  bool stated;          // by the job; otherwise the best
  Seconds young, daly, best;
  SimulatedBest simulated;  // without waiting for nodes
  std::optional<PlanSpares> spares;
  // With failures. Nothing if the job states no tokens, or no price, or if nearly no time trains.
  std::optional<double> days, failures;
  std::optional<Dollars> price;
};

// Returns nothing if the plan's cluster states no reliability.
std::optional<PlanGoodput> goodput_of(const PlanJob& job, const EvaluatedPlan& plan);

// Returns lines for a terminal: what failures do to plan `number`, and in detail why. Contract: the plan's
// cluster states its reliability.
std::string goodput_text(const PlanJob& job, const EvaluatedPlan& plan, const PlanGoodput& goodput,
                         std::size_t number, bool in_detail);
// Names the clusters that state no reliability; nothing if all do.
std::optional<std::string> failures_off_text(const PlanJob& job);

}  // namespace spillway
