// Checks Table 2 and Corollary 1 over all schedules of up to six regions and every trainability of their
// regions.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "support/order_text.h"
#include "support/pipelines.h"

namespace spillway::testing {
namespace {

constexpr std::uint32_t kRanks = 2, kMicrobatches = 4, kLongest = 6;

// Returns every valid list of up to kLongest skeletons that does not reduce.
std::vector<Schedule> valid_schedules() {
  std::vector<Schedule> all{{}}, valid;
  for (std::size_t begin = 0; all[begin].skeletons.size() < kLongest; ++begin) {
    for (Skeleton skeleton : {SkeletonKind::OneFOneB, SkeletonKind::GPipe, SkeletonKind::Transpose}) {
      Schedule longer = all[begin];
      longer.skeletons.push_back(skeleton);
      all.push_back(std::move(longer));
    }
  }
  for (const Schedule& schedule : all) {
    const auto& s = schedule.skeletons;
    bool reduces = false;
    for (std::size_t i = 0; i + 1 < s.size(); ++i) {
      reduces = reduces || (s[i] == SkeletonKind::Transpose && s[i + 1] == SkeletonKind::Transpose);
    }
    if (!s.empty() && !reduces && check_schedule(schedule).empty()) valid.push_back(schedule);
  }
  return valid;
}

// Derives one block per region; `bits` says which are trainable.
Derived derived_for(const Schedule& schedule, std::uint32_t bits) {
  std::vector<Block> blocks;
  for (std::size_t i = 0; i < schedule.skeletons.size(); ++i) {
    blocks.push_back({"b" + std::to_string(i), Role::Backbone, kRanks, (bits >> i & 1U) != 0});
  }
  const Model model(blocks);
  return derive(model, schedule, *default_cut(model, blocks.size()), {.pipeline = {kRanks, kMicrobatches}});
}

template <class Check>
void for_every_schedule_and_trainability(const Check& check) {
  for (const Schedule& schedule : valid_schedules()) {
    for (std::uint32_t bits = 0; bits < (1U << schedule.skeletons.size()); ++bits) {
      SCOPED_TRACE(to_string(schedule) + " trainable bits " + std::to_string(bits));
      check(schedule, bits, derived_for(schedule, bits));
    }
  }
}

// There are 3^k lists; 3, 6, 12, 24, 48 and 96 of them have no two adjacent transposes and no 1f1b beside gpipe.
// Counted by hand for k = 1 and 2 ({1,1} {1,t} {g,g} {g,t} {t,1} {t,g}). Of length k, t(k) = n(k-1) end in a
// transpose and n(k) = n(k-1) + 2 t(k-1) in 1f1b or gpipe.
TEST(ValidSchedules, AreAllThere) {
  std::map<std::size_t, std::size_t> by_length;
  for (const Schedule& schedule : valid_schedules()) ++by_length[schedule.skeletons.size()];
  std::size_t ends_transposed = 1, ends_pipelined = 2;
  for (std::size_t k = 1; k <= kLongest; ++k) {
    EXPECT_EQ(by_length[k], ends_transposed + ends_pipelined);
    const std::size_t transposed = ends_pipelined;
    ends_pipelined += 2 * ends_transposed;
    ends_transposed = transposed;
  }
}

TEST(SeamComms, Table2) {
  const SeamComms gathered = seam_comms(Layout::Replicated, Layout::Sharded);
  EXPECT_EQ(gathered.forward, Comm::Gather);
  EXPECT_EQ(gathered.backward, Comm::Scatter);
  const SeamComms sent = seam_comms(Layout::Sharded, Layout::Sharded);
  EXPECT_EQ(sent.forward, Comm::Send);
  EXPECT_EQ(sent.backward, Comm::RecvGrad);
  const SeamComms scattered = seam_comms(Layout::Sharded, Layout::Replicated);
  EXPECT_EQ(scattered.forward, Comm::Scatter);
  EXPECT_EQ(scattered.backward, Comm::Gather);
  EXPECT_THROW(seam_comms(Layout::Replicated, Layout::Replicated), ContractBreach);
}

bool any_before(std::uint32_t bits, std::size_t region) {
  return (bits & ((1U << region) - 1)) != 0;
}

// (transposed upstream, transposed downstream) -> forward, backward
const std::map<std::pair<bool, bool>, std::pair<Comm, Comm>> kTable2{
    {{true, false}, {Comm::Gather, Comm::Scatter}},
    {{false, false}, {Comm::Send, Comm::RecvGrad}},
    {{false, true}, {Comm::Scatter, Comm::Gather}},
};

TEST(Seams, FollowTable2AndLemma1) {
  for_every_schedule_and_trainability(
      [](const Schedule& schedule, std::uint32_t bits, const Derived& derived) {
        ASSERT_EQ(derived.collectives.seams.size() + 1, schedule.skeletons.size());
        for (std::uint32_t j = 0; j + 1 < schedule.skeletons.size(); ++j) {
          const Seam& seam = derived.collectives.seams[j];
          EXPECT_EQ(seam.upstream, RegionId(j));
          EXPECT_EQ(seam.downstream, RegionId(j + 1));
          const auto [forward, backward] = kTable2.at({schedule.skeletons[j] == SkeletonKind::Transpose,
                                                       schedule.skeletons[j + 1] == SkeletonKind::Transpose});
          EXPECT_EQ(seam.forward, forward);
          EXPECT_EQ(seam.backward, any_before(bits, j + 1) ? std::optional(backward) : std::nullopt);
        }
      });
}

// A seam's events are its collectives, one per microbatch and direction.
TEST(Seams, CarryEachMicrobatchOncePerDirection) {
  for_every_schedule_and_trainability([](const Schedule&, std::uint32_t, const Derived& derived) {
    std::map<std::pair<RegionId, RegionId>, std::map<Comm, std::multiset<MicrobatchId>>> found;
    for (const Event& event : derived.order.events()) {
      if (event.kind != EventKind::Collective) continue;
      const RegionId from = derived.stage(event.stage).region, to = derived.stage(event.peer_stage).region;
      if (from != to) found[{from, to}][event.comm].insert(event.microbatch);
    }
    std::multiset<MicrobatchId> all;
    for (std::uint32_t m = 0; m < kMicrobatches; ++m) all.insert(MicrobatchId(m));
    std::size_t directions = 0;
    for (const Seam& seam : derived.collectives.seams) {
      ++directions;
      EXPECT_EQ((found[{seam.upstream, seam.downstream}]), (std::map{std::pair(seam.forward, all)}));
      if (!seam.backward) continue;
      ++directions;
      EXPECT_EQ((found[{seam.downstream, seam.upstream}]), (std::map{std::pair(*seam.backward, all)}));
    }
    EXPECT_EQ(found.size(), directions);
  });
}

TEST(Reduces, OneGroupPerTrainableRegion) {
  for_every_schedule_and_trainability(
      [](const Schedule& schedule, std::uint32_t bits, const Derived& derived) {
        std::vector<std::pair<RegionId, Group>> expected, found;
        std::map<RegionId, std::size_t> events_expected, events_found;
        for (std::uint32_t j = 0; j < schedule.skeletons.size(); ++j) {
          if ((bits >> j & 1U) == 0) continue;
          const bool transposed = schedule.skeletons[j] == SkeletonKind::Transpose;
          expected.emplace_back(RegionId(j), transposed ? Group::ReplicaGroup : Group::DataGroup);
          events_expected[RegionId(j)] = transposed ? 1 : kRanks;
        }
        for (const Reduce& reduce : derived.collectives.reduces)
          found.emplace_back(reduce.region, reduce.group);
        for (const Event& event : derived.order.events()) {
          if (event.kind == EventKind::DpReduce) ++events_found[derived.stage(event.stage).region];
        }
        EXPECT_EQ(found, expected);
        EXPECT_EQ(events_found, events_expected);
      });
}

// Holds the properties that Corollary 1 says do not depend on the schedule.
struct Footprint {
  std::set<std::pair<RegionId, MicrobatchId>> backwards;
  std::set<std::pair<RegionId, RegionId>> gradient_seams;
  std::set<RegionId> reducing;

  friend bool operator==(const Footprint&, const Footprint&) = default;
};

Footprint footprint(const Derived& derived) {
  Footprint footprint;
  for (const Event& event : derived.order.events()) {
    const RegionId region = derived.stage(event.stage).region;
    if (event.kind == EventKind::Backward) footprint.backwards.emplace(region, event.microbatch);
    if (event.kind == EventKind::DpReduce) footprint.reducing.insert(region);
    if (event.kind != EventKind::Collective) continue;
    const RegionId peer = derived.stage(event.peer_stage).region;
    if (peer < region) footprint.gradient_seams.emplace(peer, region);
  }
  return footprint;
}

TEST(Corollary1, TheFootprintIsTheModelsNotTheSchedules) {
  std::map<std::pair<std::size_t, std::uint32_t>, Footprint> of_model;
  for_every_schedule_and_trainability([&](const Schedule& schedule, std::uint32_t bits,
                                          const Derived& derived) {
    const auto [first, is_new] = of_model.try_emplace({schedule.skeletons.size(), bits}, footprint(derived));
    EXPECT_TRUE(footprint(derived) == first->second);
  });
  EXPECT_EQ(of_model.size(), (2U << kLongest) - 2U);
}

// "Freezing leaves the schedule, the placement and the forward order unchanged."
TEST(Freezing, LeavesTheForwardsUnchanged) {
  std::map<std::string, std::vector<std::string>> forwards;
  for_every_schedule_and_trainability([&](const Schedule& schedule, std::uint32_t, const Derived& derived) {
    std::vector<std::string> lines;
    for (const std::string& line : edge_lines(derived)) {
      if (line.find(" -Activation-> ") != line.npos && line.find("Bwd") == line.npos) lines.push_back(line);
    }
    lines = sorted(lines);
    const auto [first, is_new] = forwards.try_emplace(to_string(schedule), lines);
    EXPECT_EQ(lines, first->second);
  });
}

bool survives(const Event& event, std::size_t region, std::uint32_t bits) {
  if (event.kind == EventKind::Forward) return true;
  return event.kind == EventKind::BackwardWeight ? (bits >> region & 1U) != 0 : any_before(bits, region + 1);
}

void expect_only_removed(const Schedule& schedule, std::uint32_t bits, const Derived& frozen) {
  const Derived trained = derived_for(schedule, (1U << schedule.skeletons.size()) - 1);
  for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
    std::vector<std::string> remaining;
    for (EventId id : computing(trained, RankId(rank))) {
      const Event& event = trained.order.event(id);
      if (survives(event, trained.stage(event.stage).region.index(), bits))
        remaining.push_back(event_name(event, trained));
    }
    EXPECT_EQ(computing_lines(frozen, rank), remaining);
  }
}

// Freezing removes backwards from each rank's list and moves nothing else.
TEST(Freezing, OnlyRemovesFromARanksOrder) {
  for_every_schedule_and_trainability(expect_only_removed);
}

// A frozen region behind a trained one keeps its input gradients and loses its weight gradients.
TEST(Freezing, OnlyRemovesFromARanksOrderOfSplitBackwards) {
  for (const char* text :
       {"zb-h1", "transpose,zb-h2", "zb-h1,transpose,zb-h1", "transpose,zb-h2,transpose,zb-h1"}) {
    const Schedule split = schedule(text);
    for (std::uint32_t bits = 0; bits < (1U << split.skeletons.size()); ++bits) {
      SCOPED_TRACE(text + (" trainable bits " + std::to_string(bits)));
      expect_only_removed(split, bits, derived_for(split, bits));
    }
  }
}

}  // namespace
}  // namespace spillway::testing
