#include <algorithm>
#include <map>
#include <random>

#include "support/measured_data.h"
#include "trace_files.h"
#include "traces/formats/read_trace.h"

namespace spillway::testing {
namespace {

using Texts = std::vector<std::string>;

std::string edge(char phase, const std::string& name, int rank, int ts, int microbatch = 0, int chunk = 0) {
  const std::string place = R"(,"pid":)" + std::to_string(rank) + R"(,"tid":0,"ts":)" + std::to_string(ts);
  const std::string end = phase == 'B'
                              ? ""
                              : R"(,"microbatch":)" + std::to_string(microbatch) + R"(,"model_chunk":)" +
                                    std::to_string(chunk) + R"(,"pp_rank":)" + std::to_string(rank);
  return std::string(R"({"ph":")") + phase + R"(","name":")" + name + '"' + place +
         R"(,"args":{"iteration":10)" + end + "}}";
}

Trace read_megatron(const Texts& events, const std::string& end = "]") {
  std::string text = "[";
  for (std::size_t i = 0; i < events.size(); ++i) text += (i == 0 ? "" : ",\n") + events[i];
  return read_trace(measured_file("megatron.json", text + end));
}

TEST(MegatronTrace, StageIsChunkTimesRanksPlusRank) {
  const Trace trace = read_megatron({edge('B', "forward", 0, 100), edge('B', "forward", 1, 110),
                                     edge('E', "forward", 0, 120, 3, 1), edge('E', "forward", 1, 140, 3, 1),
                                     edge('B', "backward", 1, 150), edge('E', "backward", 1, 190, 3, 0)});
  EXPECT_EQ(trace.format, "megatron");
  EXPECT_EQ(trace.steps, Texts{"10"});
  EXPECT_EQ(texts(trace.events),
            (Texts{"forward r0 s2 m3 0+20", "forward r1 s3 m3 10+30", "backward r1 s1 m3 50+40"}));
}

TEST(MegatronTrace, HalvesOfRangesAndBackwardClocksAreCounted) {
  const Trace trace = read_megatron({edge('E', "forward", 0, 5), edge('B', "forward", 0, 10),
                                     edge('E', "forward", 0, 20), edge('B', "backward", 0, 30),
                                     edge('E', "backward", 0, 25), edge('B', "forward", 0, 40)});
  EXPECT_EQ(texts(trace.events), (Texts{"forward r0 s0 m0 0+10"}));
  EXPECT_EQ(texts(trace.notes),
            (Texts{"corrected: 1 mark earlier than the one before on their track: sorted by their times",
                   "dropped: 2 begins without an end (the first is event 4)",
                   "dropped: 2 ends without a begin (the first is event 1)"}));
}

TEST(MegatronTrace, ShuffledEventsAreThoseInOrder) {
  Texts events;
  for (int rank : {0, 1}) {
    for (int microbatch = 0; microbatch < 4; ++microbatch) {
      for (int ts : {10 * microbatch, 10 * (microbatch + 1)})  // one begins where the other ends
        events.push_back(edge(ts == 10 * microbatch ? 'B' : 'E', "forward", rank, ts, microbatch));
    }
  }
  const auto in_order = texts(read_megatron(events).events);
  ASSERT_EQ(in_order.size(), 8u);
  std::shuffle(events.begin(), events.end(), std::mt19937(1));
  EXPECT_EQ(texts(read_megatron(events).events), in_order);
}

TEST(MegatronTrace, AByteOrderMarkIsLeftOut) {
  const std::string text =
      "\xEF\xBB\xBF[" + edge('B', "forward", 0, 0) + "," + edge('E', "forward", 0, 9) + "]";
  EXPECT_EQ(texts(read_trace(measured_file("marked.json", text)).events), Texts{"forward r0 s0 m0 0+9"});
}

TEST(MegatronTrace, AMissingRankAndAnOpenArrayAreSaid) {
  const Trace trace = read_megatron({edge('B', "forward", 2, 0), edge('E', "forward", 2, 9)}, "");
  EXPECT_EQ(texts(trace.notes), (Texts{"missing: 2 ranks below the highest without events",
                                       "guessed: the array of events has no end; all events are used"}));
}

// MegatronApp's sample (OpenSQZ/MegatronApp at 99c64dad) has 4 ranks, 4 chunks, 8 microbatches, one
// iteration.
TEST(MegatronTraceData, MegatronAppsIteration) {
  const auto path =
      measured_data("pipeline_traces/megatronapp/data-1-pipeline-4-tensor-1-pp-aggregated-iter10.json");
  if (!path) GTEST_SKIP() << "SPILLWAY_MEASURED_DATA is unset";
  const Trace trace = read_trace(*path);
  std::map<std::tuple<TraceKind, int, int>, int> seen;
  for (const TraceEvent& e : trace.events) {
    EXPECT_EQ(e.stage % 4, e.rank);
    ++seen[{e.kind, e.stage, static_cast<int>(e.microbatch)}];
  }
  EXPECT_EQ(trace.events.size(), 256u);
  EXPECT_EQ(seen.size(), 2u * 16u * 8u);  // each pass of each stage and microbatch once
  EXPECT_EQ(text(trace.events.front()), "forward r0 s0 m0 0+4418");
  EXPECT_EQ(texts(trace.notes), (Texts{"dropped: 12 marks without a duration (the first is event 1)"}));
}

}  // namespace
}  // namespace spillway::testing
