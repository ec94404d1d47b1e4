// A rank does what `derive` prints: the printed lists, executed literally, take the predicted time. The test
// uses only the JSON: names, lists, edges.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "report/order/derivation.h"
#include "support/long_property.h"
#include "support/random_derivation.h"
#include "support/schema_check.h"
#include "support/tolerance.h"
#include "timing/longest_path.h"

namespace spillway::testing {
namespace {

nlohmann::json printed(const Derived& derived) {
  std::ostringstream out;
  write_derivation(out, derived, DerivationFormat::Json);
  return nlohmann::json::parse(out.str());
}

// Each rank executes its list in order. It waits for the needs of a computing event. When it reaches a
// communicating event it starts its part and goes on, unless it is the sender and transfers block.
class LiteralExecution {
 public:
  LiteralExecution(const nlohmann::json& order, std::map<std::string, double> durations, bool blocking)
      : durations_(std::move(durations)), blocking_(blocking) {
    for (std::size_t rank = 0; rank < order["nodes"].size(); ++rank) {
      lists_.push_back(order["nodes"][std::to_string(rank)].get<std::vector<std::string>>());
      for (const std::string& event : lists_.back()) {
        ++parties_[event];
        if (computes(event)) rank_of_[event] = rank;
      }
    }
    for (const nlohmann::json& edge : order["edges"]) needs_[edge["to"]].push_back(edge["from"]);
    at_.assign(lists_.size(), 0);
    now_.assign(lists_.size(), 0);
  }

  // Returns when each event ends. Events are missing if ranks wait for each other.
  std::map<std::string, double> ends() && {
    for (bool more = true; more;) {
      more = false;
      for (std::size_t rank = 0; rank < lists_.size(); ++rank)
        while (at_[rank] < lists_[rank].size() && step(rank, lists_[rank][at_[rank]]))
          ++at_[rank], more = true;
    }
    return ends_;
  }

 private:
  static bool computes(const std::string& event) {
    return event.starts_with("Fwd") || event.starts_with("Bwd");
  }
  // Events that take no time count, too.
  static bool communicates(const std::string& event) {
    return event.starts_with("Coll(") || event.starts_with("DpReduce(") || event.starts_with("Broadcast(") ||
           event.starts_with("Loss(");
  }

  // Returns whether the rank is done with the event.
  bool step(std::size_t rank, const std::string& event) {
    return communicates(event) ? take_part(rank, event) : run(rank, event);
  }

  bool take_part(std::size_t rank, const std::string& event) {
    started_[event].insert({rank, now_[rank]});
    if (started_[event].size() == parties_[event]) {
      double start = 0;
      for (const auto& [party, since] : started_[event]) start = std::max(start, since);
      for (const std::string& before : needs_[event])  // broadcasts run one after the other
        if (before.starts_with("Broadcast(")) start = std::max(start, ends_.at(before));
      ends_[event] = start + durations_.at(event);
    }
    if (!blocking_ || parties_[event] < 2 || !sends(rank, event)) return true;
    if (!ends_.contains(event)) return false;
    now_[rank] = std::max(now_[rank], ends_.at(event));
    return true;
  }

  bool sends(std::size_t rank, const std::string& event) const {
    return event.starts_with("Coll(") &&
           std::ranges::any_of(needs_.at(event), [&](const std::string& before) {
             return computes(before) && rank_of_.at(before) == rank;
           });
  }

  bool run(std::size_t rank, const std::string& event) {
    double start = now_[rank];
    for (const std::string& before : needs_[event]) {
      if (!ends_.contains(before)) return false;
      start = std::max(start, ends_.at(before));
    }
    now_[rank] = ends_[event] = start + durations_.at(event);
    return true;
  }

  std::map<std::string, double> durations_;
  bool blocking_;
  std::vector<std::vector<std::string>> lists_;
  std::map<std::string, std::size_t> parties_;  // number of lists with the event
  std::map<std::string, std::size_t> rank_of_;
  std::map<std::string, std::vector<std::string>> needs_;
  std::vector<std::size_t> at_;
  std::vector<double> now_;
  std::map<std::string, std::map<std::size_t, double>> started_;  // by rank
  std::map<std::string, double> ends_;
};

// Some derivations of transposed inputs have the options that systems set.
RandomDerivation some_derivation() {
  RandomDerivation random = *random_derivation({.replicas = 1, .every_skeleton = true});
  const auto normal = random.normal_schedule();
  const bool transposed =
      layout_of(normal.skeletons.front()) == Layout::Replicated && normal.skeletons.size() > 1;
  if (!transposed || *rc::gen::arbitrary<bool>()) return random;
  InputRule& input = random.options.input;
  input.gathered_first = *rc::gen::arbitrary<bool>();
  input.backwards = *rc::gen::element(InputBackwards::BehindBody, InputBackwards::Returned);
  input.broadcast = *rc::gen::arbitrary<bool>();
  input.batch = *rc::gen::inRange(1u, 4u);
  return random;
}

void expect_as_predicted(const Derived& derived, const Durations& durations) {
  const auto name = [&](std::uint32_t id) { return event_name(derived.order.event(EventId(id)), derived); };
  std::map<std::string, double> by_name;
  for (std::uint32_t id = 0; id < derived.order.event_count(); ++id)
    RC_ASSERT(by_name.insert({name(id), durations.at(EventId(id), 0).value()}).second);  // no name twice
  const bool blocking = derived.point_to_point == PointToPoint::Blocking;
  const auto ends = LiteralExecution(printed(derived)["order"], by_name, blocking).ends();
  const Timeline predicted = LongestPath(derived.order).timeline(durations);
  RC_ASSERT(ends.size() == derived.order.event_count());
  for (std::uint32_t id = 0; id < derived.order.event_count(); ++id)
    RC_ASSERT(std::abs(ends.at(name(id)) - predicted.end.at(EventId(id), 0).value()) <=
              kRelative * predicted.makespan().value());
}

SPILLWAY_LONG_PROP(PrintedLists, ExecutedAsTheyStandTakeWhatIsPredicted, 100) {
  const RandomDerivation random = some_derivation();
  RC_LOG() << random;
  const Derived derived = random.derived();
  Durations durations = random.priced(derived).durations;
  // Transfers have any length, so that they overlap in many ways.
  for (std::uint32_t id = 0; id < derived.order.event_count(); ++id)
    if (derived.order.event(EventId(id)).communicates())
      durations.fill(EventId(id), milliseconds(*rc::gen::inRange(0, 900)));
  expect_as_predicted(derived, durations);
}

// The paper's stage_index is rank + (region - 1) P, where a rank holds each region in one piece. Otherwise a
// rank's pieces are numbered one after the other.
SPILLWAY_LONG_PROP(PrintedStages, HaveThePapersIndex, 100) {
  const RandomDerivation random = *random_derivation({.every_skeleton = true});
  const Derived derived = random.derived();
  const std::uint32_t ranks = derived.pipeline.ranks;
  std::map<std::string, std::uint32_t> pieces_before;  // of earlier regions, by region
  std::uint32_t pieces = 0;
  for (std::size_t region = 0; region < derived.regions.size(); ++region) {
    pieces_before[derived.regions[region].name] = pieces;
    for (const Stage& stage : derived.stages)
      if (stage.region.index() == region && stage.rank == RankId(0)) ++pieces;
  }
  static const SchemaCheck schema("derivation");
  const nlohmann::json document = printed(derived), stages = document["stages"];
  RC_ASSERT(schema.accepts(document));
  RC_ASSERT(stages.size() == derived.stages.size());
  std::map<std::pair<std::string, std::uint32_t>, std::uint32_t> seen;  // pieces, by region and rank
  for (const nlohmann::json& stage : stages) {
    const std::string region = stage["region"];
    const std::uint32_t rank = stage["rank"], piece = seen[{region, rank}]++;
    RC_ASSERT(stage["stage_index"].get<std::uint32_t>() == rank + (pieces_before[region] + piece) * ranks);
    const LayerRange layers = derived.stages[stage["stage_index"]].layers;
    RC_ASSERT(stage["first_layer"] == layers.first && stage["end_layer"] == layers.end);
  }
}

}  // namespace
}  // namespace spillway::testing
