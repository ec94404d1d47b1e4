// The skeletons' orders against golden lists, Megatron-LM's own arithmetic and example, and 1F1B's rule of
// thumb ("never more than so many in flight").
#include "schedule/skeleton.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <set>
#include <tuple>

namespace spillway {
namespace {

// Returns "F1 B1": direction, and microbatch from 1; with several chunks "F1.0": microbatch 1 in chunk 0.
std::string text(const RankOrder& order, bool chunks = false) {
  std::string text;
  for (const Slot& slot : order) {
    if (!text.empty()) text += ' ';
    text += slot.action == Action::Forward ? 'F' : 'B';
    text += std::to_string(slot.microbatch.index() + 1);
    if (chunks) text += '.' + std::to_string(slot.chunk);
  }
  return text;
}

std::string order_text(Skeleton skeleton, std::uint32_t p, std::uint32_t m, std::uint32_t rank) {
  return text(rank_orders(skeleton, {p, m, 1, p})[rank]);
}

// Narayanan et al. 2021, figure 3 (PipeDream-Flush), four devices, eight microbatches.
TEST(OneFOneB, GoldenFourRanksEightMicrobatches) {
  EXPECT_EQ(order_text(SkeletonKind::OneFOneB, 4, 8, 0), "F1 F2 F3 F4 B1 F5 B2 F6 B3 F7 B4 F8 B5 B6 B7 B8");
  EXPECT_EQ(order_text(SkeletonKind::OneFOneB, 4, 8, 1), "F1 F2 F3 B1 F4 B2 F5 B3 F6 B4 F7 B5 F8 B6 B7 B8");
  EXPECT_EQ(order_text(SkeletonKind::OneFOneB, 4, 8, 2), "F1 F2 B1 F3 B2 F4 B3 F5 B4 F6 B5 F7 B6 F8 B7 B8");
  EXPECT_EQ(order_text(SkeletonKind::OneFOneB, 4, 8, 3), "F1 B1 F2 B2 F3 B3 F4 B4 F5 B5 F6 B6 F7 B7 F8 B8");
}

TEST(OneFOneB, GoldenFewerMicrobatchesThanRanks) {
  EXPECT_EQ(order_text(SkeletonKind::OneFOneB, 4, 2, 0), "F1 F2 B1 B2");
  EXPECT_EQ(order_text(SkeletonKind::OneFOneB, 4, 2, 1), "F1 F2 B1 B2");
  EXPECT_EQ(order_text(SkeletonKind::OneFOneB, 4, 2, 2), "F1 F2 B1 B2");
  EXPECT_EQ(order_text(SkeletonKind::OneFOneB, 4, 2, 3), "F1 B1 F2 B2");
  EXPECT_EQ(order_text(SkeletonKind::OneFOneB, 1, 3, 0), "F1 B1 F2 B2 F3 B3");
}

TEST(GPipe, GoldenAllForwardsThenAllBackwards) {
  for (std::uint32_t rank = 0; rank < 3; ++rank)
    EXPECT_EQ(order_text(SkeletonKind::GPipe, 3, 4, rank), "F1 F2 F3 F4 B1 B2 B3 B4");
  EXPECT_EQ(text(rank_orders(SkeletonKind::GPipe, {2, 2, 2, 2})[0], true),
            "F1.0 F2.0 F1.1 F2.1 B1.1 B2.1 B1.0 B2.0");
}

// Narayanan et al. 2021, figure 4: four devices, two chunks each, eight microbatches; the first and the last
// device.
TEST(Interleaved, GoldenFourRanksTwoChunksEightMicrobatches) {
  const RunShape shape{4, 8, 2, 4};
  EXPECT_EQ(text(rank_orders(SkeletonKind::OneFOneB, shape)[0], true),
            "F1.0 F2.0 F3.0 F4.0 F1.1 F2.1 F3.1 F4.1 F5.0 F6.0 "
            "F7.0 B1.1 F8.0 B2.1 F5.1 B3.1 F6.1 B4.1 F7.1 B1.0 F8.1 B2.0 "
            "B3.0 B4.0 B5.1 B6.1 B7.1 B8.1 B5.0 B6.0 B7.0 B8.0");
  EXPECT_EQ(text(rank_orders(SkeletonKind::OneFOneB, shape)[3], true),
            "F1.0 F2.0 F3.0 F4.0 "
            "F1.1 B1.1 F2.1 B2.1 F3.1 B3.1 F4.1 B4.1 F5.0 B1.0 F6.0 B2.0 F7.0 B3.0 F8.0 B4.0 "
            "F5.1 B5.1 F6.1 B6.1 F7.1 B7.1 F8.1 B8.1 "
            "B5.0 B6.0 B7.0 B8.0");
}

// Megatron-LM's table for "PP2 N3M5 with VP2" (megatron/core/pipeline_parallel/schedules.py,
// get_schedule_table): virtual microbatches 0..9 are microbatches 0 1 2 0 1 2 3 4 3 4 in chunks 0 0 0 1 1 1 0
// 0 1 1.
TEST(Interleaved, MegatronsDocumentedGroupsOfThree) {
  const RankOrder order = rank_orders(SkeletonKind::OneFOneB, {2, 5, 2, 3})[1];
  const std::vector<std::uint32_t> microbatch{0, 1, 2, 0, 1, 2, 3, 4, 3, 4},
      chunk{0, 0, 0, 1, 1, 1, 0, 0, 1, 1};
  std::size_t forward = 0, backward = 0;
  for (const Slot& slot : order) {
    const std::size_t k = slot.action == Action::Forward ? forward++ : backward++;
    EXPECT_EQ(slot.microbatch.index(), microbatch[k]);
    EXPECT_EQ(slot.chunk, slot.action == Action::Forward ? chunk[k] : 1 - chunk[k]);
  }
  EXPECT_EQ(forward, 10U);
  EXPECT_EQ(backward, 10U);
}

// Megatron-LM as published in 2021 (get_model_chunk_id): slot k runs chunk (k mod Pv) / P, mirrored for
// backwards; each chunk takes the next microbatch of its own input iterator.
class Megatron2021 {
 public:
  Megatron2021(std::uint32_t p, std::uint32_t m, std::uint32_t v) : p_(p), m_(m), v_(v) {}

  RankOrder order(std::uint32_t rank) {
    const std::uint32_t total = m_ * v_;
    const std::uint32_t warmup = std::min((p_ - rank - 1) * 2 + (v_ - 1) * p_, total);
    RankOrder order;
    for (std::uint32_t k = 0; k < warmup; ++k) order.push_back(step(Action::Forward, k));
    for (std::uint32_t k = 0; k < total - warmup; ++k) {
      order.push_back(step(Action::Forward, k + warmup));
      order.push_back(step(Action::Backward, k));
    }
    for (std::uint32_t k = total - warmup; k < total; ++k) order.push_back(step(Action::Backward, k));
    return order;
  }

 private:
  Slot step(Action direction, std::uint32_t k) {
    std::uint32_t chunk = k % (p_ * v_) / p_;
    if (direction == Action::Backward) chunk = v_ - chunk - 1;
    return {direction, chunk, MicrobatchId(taken_[{direction, chunk}]++)};
  }

  std::uint32_t p_, m_, v_;
  std::map<std::pair<Action, std::uint32_t>, std::uint32_t> taken_;
};

TEST(Interleaved, EqualsMegatronWhereRanksDivideMicrobatches) {
  for (std::uint32_t p = 1; p <= 8; ++p) {
    for (std::uint32_t m = p; m <= 32; m += p) {
      for (std::uint32_t v = 2; v <= 4; ++v) {
        for (std::uint32_t rank = 0; rank < p; ++rank) {
          EXPECT_EQ(rank_orders(SkeletonKind::OneFOneB, {p, m, v, default_group(p, m)})[rank],
                    Megatron2021(p, m, v).order(rank))
              << "P=" << p << " M=" << m << " v=" << v << " rank " << rank;
        }
      }
    }
  }
}

// 1F1B by its inventors' rule: run the next forward while fewer than `limit` slots are in flight, else the
// oldest backward. Forwards and backwards come from the given lists.
RankOrder with_limited_flight(const RankOrder& forwards, const RankOrder& backwards, std::size_t limit) {
  RankOrder order;
  for (std::size_t f = 0, b = 0; b < backwards.size();) {
    const bool run_ahead = f < forwards.size() && f - b < limit;
    order.push_back(run_ahead ? forwards[f++] : backwards[b++]);
  }
  return order;
}

// Returns all (chunk, microbatch) by group, then chunk, then microbatch.
RankOrder by_group(Action direction, const RunShape& shape) {
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> keys;
  for (std::uint32_t m = 0; m < shape.microbatches; ++m) {
    for (std::uint32_t c = 0; c < shape.chunks; ++c) {
      keys.emplace(m / shape.group, direction == Action::Forward ? c : shape.chunks - 1 - c, m);
    }
  }
  RankOrder slots;
  for (const auto& [group, turn, m] : keys) {
    slots.push_back(
        {direction, direction == Action::Forward ? turn : shape.chunks - 1 - turn, MicrobatchId(m)});
  }
  return slots;
}

TEST(OneFOneB, IsForwardWhileFewerThanPMinusRAreInFlight) {
  for (std::uint32_t p = 1; p <= 8; ++p) {
    for (std::uint32_t m = 1; m <= 32; ++m) {
      const RunShape shape{p, m, 1, p};
      for (std::uint32_t rank = 0; rank < p; ++rank) {
        EXPECT_EQ(rank_orders(SkeletonKind::OneFOneB, shape)[rank],
                  with_limited_flight(by_group(Action::Forward, shape), by_group(Action::Backward, shape),
                                      p - rank));
      }
    }
  }
}

TEST(Interleaved, IsOneFOneBOverTheTableForEveryGroupMegatronTakes) {
  std::uint32_t shapes = 0;
  for (std::uint32_t p = 1; p <= 8; ++p) {
    for (std::uint32_t m = p; m <= 32; ++m) {
      for (std::uint32_t group = p; group <= m; ++group) {
        if (m % group > 0 && m % group < p) continue;
        for (std::uint32_t v = 2; v <= 4; ++v, ++shapes) {
          const RunShape shape{p, m, v, group};
          ASSERT_TRUE(check_shape(SkeletonKind::OneFOneB, shape).empty());
          const std::uint32_t rank = shapes % p;
          const std::size_t in_flight = 2 * (p - rank - 1) + (v - 1) * group + 1;
          ASSERT_EQ(rank_orders(SkeletonKind::OneFOneB, shape)[rank],
                    with_limited_flight(by_group(Action::Forward, shape), by_group(Action::Backward, shape),
                                        in_flight))
              << "P=" << p << " M=" << m << " v=" << v << " group " << group << " rank " << rank;
        }
      }
    }
  }
  EXPECT_GT(shapes, 5000U);
}

TEST(Skeletons, RunEveryChunkAndMicrobatchOncePerDirectionForwardFirst) {
  for (Skeleton skeleton : {SkeletonKind::OneFOneB, SkeletonKind::GPipe}) {
    for (const RunShape& shape :
         {RunShape{4, 8, 1, 4}, RunShape{4, 8, 3, 4}, RunShape{3, 7, 2, 4}, RunShape{1, 5, 2, 1}}) {
      for (std::uint32_t rank = 0; rank < shape.ranks; ++rank) {
        std::map<std::pair<std::uint32_t, MicrobatchId>, std::string> seen;
        const std::vector<RankOrder> orders = rank_orders(skeleton, shape);
        for (const Slot& slot : orders[rank]) {
          seen[{slot.chunk, slot.microbatch}] += slot.action == Action::Forward ? 'F' : 'B';
        }
        EXPECT_EQ(seen.size(), std::size_t{shape.chunks} * shape.microbatches);
        for (const auto& [what, directions] : seen) EXPECT_EQ(directions, "FB");
      }
    }
  }
}

std::vector<std::string> refusal_of_shape(const RunShape& shape) {
  std::vector<std::string> lines;
  for (const Violation& violation : check_shape(SkeletonKind::OneFOneB, shape))
    lines.push_back(to_string(violation));
  return lines;
}

// torch.distributed.pipelining's ScheduleInterleaved1F1B: M / P rounds, at least one, of equal size.
std::optional<std::uint32_t> pytorch_group(std::uint32_t p, std::uint32_t m) {
  const std::uint32_t rounds = std::max(1U, m / p);
  return m % rounds == 0 ? std::optional(m / rounds) : std::nullopt;
}

TEST(Interleaved, UnlessToldGroupsAreMegatronsPyTorchsOrTheSmallestThatGo) {
  for (std::uint32_t p = 1; p <= 12; ++p) {
    for (std::uint32_t m = 1; m <= 80; ++m) {
      const std::uint32_t group = default_group(p, m);
      const auto fits = [&](std::uint32_t g) { return refusal_of_shape({p, m, 2, g}).empty(); };
      EXPECT_TRUE(fits(group)) << p << ' ' << m;
      for (std::uint32_t smaller = 1; smaller < group; ++smaller) EXPECT_FALSE(fits(smaller));
      if (m % p == 0) {
        EXPECT_EQ(group, p);
      }
      if (const auto rounds = pytorch_group(p, m)) {
        EXPECT_EQ(group, *rounds) << p << ' ' << m;
      }
    }
  }
}

// PyTorch's own list for P=4, M=3 and two chunks, with microbatches counted from 0.
TEST(Interleaved, EqualsPyTorchWhereMicrobatchesAreFewerThanRanks) {
  const std::vector<RankOrder> orders = rank_orders(SkeletonKind::OneFOneB, {4, 3, 2, default_group(4, 3)});
  const auto text = [&](std::uint32_t rank) {
    std::string all;
    for (const Slot& slot : orders[rank])
      all += std::to_string(slot.chunk * 4 + rank) + (slot.action == Action::Forward ? 'F' : 'B') +
             std::to_string(slot.microbatch.index()) + ' ';
    return all;
  };
  EXPECT_EQ(text(0), "0F0 0F1 0F2 4F0 4F1 4F2 4B0 4B1 4B2 0B0 0B1 0B2 ");
  EXPECT_EQ(text(1), "1F0 1F1 1F2 5F0 5F1 5F2 5B0 5B1 5B2 1B0 1B1 1B2 ");
  EXPECT_EQ(text(2), "2F0 2F1 2F2 6F0 6F1 6F2 6B0 6B1 6B2 2B0 2B1 2B2 ");
  EXPECT_EQ(text(3), "3F0 3F1 3F2 7F0 7B0 7F1 7B1 7F2 7B2 3B0 3B1 3B2 ");
}

using Lines = std::vector<std::string>;

TEST(CheckShape, FewerMicrobatchesThanRanksAreOneGroup) {
  EXPECT_EQ(refusal_of_shape({4, 3, 2, 4}),
            (Lines{": /microbatch_group: expected all 3 microbatches as one group, since they are fewer than "
                   "the 4 ranks, found 4"}));
  EXPECT_TRUE(refusal_of_shape({4, 3, 2, 3}).empty());
}

// "If the last group is shorter than the pipeline, its microbatches wait for each other": Megatron refuses.
TEST(CheckShape, RefusesAShortLastGroupAndNamesOneThatWouldDo) {
  EXPECT_EQ(refusal_of_shape({4, 10, 2, 4}),
            (Lines{": /microbatch_group: expected a microbatch group between 4 ranks and 10 microbatches "
                   "that leaves no last group shorter than 4, as Megatron requires (5 would do), found 4"}));
  EXPECT_TRUE(refusal_of_shape({4, 10, 2, 5}).empty());
  EXPECT_TRUE(refusal_of_shape({4, 10, 2, 6}).empty());  // last group of 4
  EXPECT_FALSE(refusal_of_shape({4, 10, 2, 7}).empty());
  EXPECT_FALSE(refusal_of_shape({4, 10, 2, 3}).empty());
  EXPECT_FALSE(refusal_of_shape({4, 10, 2, 11}).empty());
}

TEST(CheckShape, WithoutWeavingAnyShapeGoes) {
  EXPECT_TRUE(refusal_of_shape({8, 1, 1, 8}).empty());
  EXPECT_TRUE(refusal_of_shape({4, 10, 1, 4}).empty());
  EXPECT_TRUE(check_shape(SkeletonKind::GPipe, {4, 3, 3, 4}).empty());
}

}  // namespace
}  // namespace spillway
