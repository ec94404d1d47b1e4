#include "report/trace/chrome_trace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "evaluations.h"

namespace spillway::testing {
namespace {

using nlohmann::json;
using Track = std::pair<int, int>;

json trace_of(const ScheduleResult& result) {
  std::ostringstream out;
  write_chrome_trace(out, result);
  return json::parse(out.str());
}

json trace_of(PointToPoint point_to_point, std::uint32_t replicas = 1) {
  return trace_of(result_of("mpipe", two_by_two(point_to_point, replicas), two_by_two_costs()));
}

constexpr int kCompute = 1, kLink = 2;

// Returns the slices of one thread, by replica and rank.
std::map<Track, std::vector<json>> slices_of(const json& trace, int thread) {
  std::map<Track, std::vector<json>> by_track;
  for (const json& event : trace)
    if (event["ph"] == "X" && event["tid"] == thread)
      by_track[{event["args"]["replica"], event["args"]["rank"]}].push_back(event);
  return by_track;
}

TEST(ChromeTrace, OneNamedProcessPerRankAndReplica) {
  const json trace = trace_of(PointToPoint::Overlapped, 3);
  std::map<int, std::string> named;
  for (const json& event : trace)
    if (event["ph"] == "M" && event["name"] == "process_name") named[event["pid"]] = event["args"]["name"];
  EXPECT_EQ(named.size(), 6u);
  std::set<Track> used;
  for (const auto& [track, events] : slices_of(trace, kCompute)) {
    used.insert(track);
    for (const json& event : events)
      EXPECT_EQ(named[event["pid"]],
                "mpipe, replica " + std::to_string(track.first) + ", rank " + std::to_string(track.second));
  }
  EXPECT_EQ(used, (std::set<Track>{{0, 0}, {0, 1}, {1, 0}, {1, 1}, {2, 0}, {2, 1}}));
}

// By hand in evaluations.h: rank 1 encodes microbatch 2 at 0 s and runs its first forward at 3 s.
TEST(ChromeTrace, EventsCarryThePapersNamesAndMicroseconds) {
  const auto events = slices_of(trace_of(PointToPoint::Overlapped), kCompute).at({0, 1});
  ASSERT_EQ(events.size(), 5u);
  const json encode = {{"ph", "X"},
                       {"name", "Fwd(enc,1,2)"},
                       {"cat", "encoder forward"},
                       {"pid", 2},
                       {"tid", kCompute},
                       {"ts", 0.0},
                       {"dur", 1e6},
                       {"args", {{"replica", 0}, {"rank", 1}, {"microbatch", 2}}}};
  EXPECT_EQ(events[0], encode);
  EXPECT_EQ(events[1]["name"], "Fwd(llm,1,1)");
  EXPECT_EQ(events[1]["ts"], 3e6);
}

// Send twice, RecvGrad twice, Gather once; the Gather from rank 0 to itself takes no time.
TEST(ChromeTrace, TransfersLieOnTheirSendersLink) {
  for (const PointToPoint p2p : {PointToPoint::Overlapped, PointToPoint::Blocking}) {
    const auto links = slices_of(trace_of(p2p), kLink);
    EXPECT_EQ(links.at({0, 0}).size(), 2u);
    EXPECT_EQ(links.at({0, 1}).size(), 3u);
    for (const auto& [track, events] : links)
      for (const json& event : events) EXPECT_EQ(event["cat"], "transfer");
  }
}

// By hand in evaluations.h: microbatch 1 goes from F1 at 1 s over Send 1 at 2 s to F1 on rank 1 at 3 s.
TEST(ChromeTrace, ArrowsLeadFromAPassOverItsTransferToTheNext) {
  std::map<int, std::string> arrows;
  for (const json& event : trace_of(PointToPoint::Overlapped))
    if (const std::string phase = event["ph"]; phase == "s" || phase == "t" || phase == "f")
      arrows[event["id"]] += phase + std::to_string(event["ts"].get<int>() / 1000000) + "@" +
                             std::to_string(event["pid"].get<int>() - 1) + " ";
  std::multiset<std::string> all;
  for (const auto& [id, arrow] : arrows) all.insert(arrow);
  EXPECT_EQ(arrows.size(), 5u);
  EXPECT_TRUE(all.contains("s1@0 t2@0 f3@1 ")) << *all.begin();
}

// By hand in evaluations.h: rank 0 has microbatch 1 from 0 s to 9 s, and 2 from 2 s to 12 s; rank 1 has 2 to
// 9 s, 1 from 3 s to 6 s.
TEST(ChromeTrace, CountersSayHowManyMicrobatchesAreInFlight) {
  std::map<int, std::string> levels;
  for (const json& event : trace_of(PointToPoint::Overlapped))
    if (event["ph"] == "C" && event["name"] == "microbatches in flight")
      levels[event["pid"]] += std::to_string(event["ts"].get<int>() / 1000000) + ":" +
                              std::to_string(event["args"]["microbatches"].get<int>()) + " ";
  EXPECT_EQ(levels[1], "0:1 2:2 9:1 12:0 ");
  EXPECT_EQ(levels[2], "0:1 3:2 6:1 9:0 ");
}

TEST(ChromeTrace, ReorderedMicrobatchesCarryTheirNumberInTheDraw) {
  const json trace = trace_of(swapped(result_of("mpipe", two_by_two(), two_by_two_costs())));
  int told = 0;
  for (const json& event : trace) {
    if (!event.contains("args") || !event["args"].contains("microbatch")) continue;
    EXPECT_EQ(event["args"]["sampled_as"], 3 - event["args"]["microbatch"].get<int>()) << event;
    ++told;
  }
  EXPECT_GE(told, 10);
  for (const json& event : trace_of(PointToPoint::Overlapped))
    EXPECT_FALSE(event.contains("args") && event["args"].contains("sampled_as")) << event;
}

// Three replicas have their own work and orders: every number is that of the event on its own replica.
TEST(ChromeTrace, EveryReplicaHasNumbersOfItsOwn) {
  for (PointToPoint p2p : {PointToPoint::Overlapped, PointToPoint::Blocking}) {
    GivenCosts costs = two_by_two_costs();
    costs.blocks[1].work = {{1, 1}, {2, 1}, {1, 3}};
    ScheduleResult result = result_of("mpipe", two_by_two(p2p, 3), costs);
    result.order = MicrobatchOrder::HeaviestFirst;
    const MicrobatchId one(0), two(1);
    result.first.sampled_as = {{one, two}, {two, one}, {one, two}};
    std::map<std::string, EventId> by_name;  // without reductions, which share a name in both stages
    for (std::uint32_t id = 0; id < result.derived->order.event_count(); ++id) {
      const Event& event = result.derived->order.event(EventId(id));
      if (event.kind == EventKind::DpReduce) continue;
      EXPECT_TRUE(by_name.emplace(event_name(event, *result.derived), EventId(id)).second);
    }
    int told = 0;
    for (const json& event : trace_of(result)) {
      const auto known = by_name.find(event.value("name", ""));
      if (known == by_name.end() || event["ph"] == "M") continue;
      const auto lane = event["args"]["replica"].get<std::uint32_t>();
      const double start = result.first.timeline.start.at(known->second, lane).value() * 1e6;
      const double end = result.first.timeline.end.at(known->second, lane).value() * 1e6;
      EXPECT_NEAR(event["ts"].get<double>(), start, 1e-3) << event;
      if (event.contains("dur")) {
        EXPECT_NEAR(event["dur"].get<double>(), end - start, 1e-3) << event;
      }
      if (!event.contains("args") || !event["args"].contains("microbatch")) continue;
      const auto position = event["args"]["microbatch"].get<std::uint32_t>() - 1;
      EXPECT_EQ(event["args"]["sampled_as"], result.first.sampled_as[lane][position].index() + 1) << event;
      ++told;
    }
    EXPECT_GE(told, 30);
  }
}

// Events of the transposed encoder have no stage; those of the backbone after it count from 0.
TEST(ChromeTrace, EventsOfPipelinedRegionsCarryTheirStage) {
  const json trace = trace_of(PointToPoint::Blocking);
  const auto computed = slices_of(trace, kCompute), sent = slices_of(trace, kLink);
  for (const json& event : computed.at({0, 0})) {
    if (event["cat"] == "encoder forward")
      EXPECT_FALSE(event["args"].contains("stage")) << event;
    else
      EXPECT_EQ(event["args"]["stage"], 0) << event;
  }
  for (const json& event : sent.at({0, 0})) {
    EXPECT_EQ(event["args"]["to_stage"], 1) << event;
    EXPECT_EQ(event["args"]["to_rank"], 1) << event;
  }
}

TEST(ChromeTrace, NamesAreQuoted) {
  const json trace = trace_of(
      result_of("a \"name\"", two_by_two(PointToPoint::Overlapped, 1, "l\"l\\m\n"), two_by_two_costs()));
  EXPECT_EQ(slices_of(trace, kCompute).at({0, 1})[1]["name"], "Fwd(l\"l\\m\n,1,1)");
}

}  // namespace
}  // namespace spillway::testing
