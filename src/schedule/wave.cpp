// wave(w), Hanayo: the model runs down the ranks and up again, w times. Each microbatch passes all ranks in
// 2w pieces, and the pipeline fills in 1/2w of the time. Backwards are whole.
//
//   rank 0  F F F . F'B'  F'B'  F'B'  . . B   . . B   . . B        w = 1, P = 3, M = 3, B = 2F;
//   rank 1  . F F F F'. F'. B'  F'B'  . B   B'  B   . . B          chunk 1 is written '
//   rank 2  . . F F'F F'F F'. . B'  B   B'  B   B'  B
//
// The orders come from a list schedule with F = 1, B = 2 and no transfer time. The slot that is furthest
// along the 2S steps of its microbatch goes first (any backward before any forward), then the lowest
// microbatch. Microbatch m enters when the backward of m-P is half-way back, in stage S/2. This limits a rank
// to P slabs, as waiting for the whole way back would, with far less idle time.
//
// Bubble ratio near (2P-2)/(3Pw+P-1) for B = 2F, M = P, w >= 2; at most min(P, M) slabs of activations on a
// rank. O(n log n) for n = 4PwM slots. Liu et al. 2023, Hanayo, https://arxiv.org/abs/2308.15762, section 3.
// Tests: tests/schedule/wave_test.cpp.
#include "schedule/list_schedule.h"
#include "schedule/skeletons.h"

namespace spillway {
namespace {

// Tasks are numbered by microbatch, then by step: forwards of stages 0 to S-1, then backwards of S-1 to 0.
class WaveTasks {
 public:
  explicit WaveTasks(const RunShape& shape) : shape_(shape), steps_(2 * shape.ranks * shape.chunks) {}

  Tasks tasks() const {
    Tasks tasks;
    for (std::uint32_t m = 0; m < shape_.microbatches; ++m) {
      for (std::uint32_t step = 0; step < steps_; ++step) {
        tasks.rank.push_back(rank_of(step));
        tasks.duration.push_back(Seconds(step < steps_ / 2 ? 1 : 2));
        tasks.priority.push_back(std::uint64_t{steps_ - 1 - step} * shape_.microbatches + m);
        tasks.after.add(predecessors(m, step));
      }
    }
    return tasks;
  }

  Slot slot(std::uint32_t task) const {
    const std::uint32_t step = task % steps_;
    return {step < steps_ / 2 ? Action::Forward : Action::Backward, stage(step) / shape_.ranks,
            MicrobatchId(task / steps_)};
  }

 private:
  std::uint32_t stage(std::uint32_t step) const { return step < steps_ / 2 ? step : steps_ - 1 - step; }

  RankId rank_of(std::uint32_t step) const {
    const std::uint32_t place = stage(step) % shape_.ranks;
    const bool down = stage(step) / shape_.ranks % 2 == 0;
    return RankId(down ? place : shape_.ranks - 1 - place);
  }

  std::vector<std::uint32_t> predecessors(std::uint32_t m, std::uint32_t step) const {
    if (step > 0) return {m * steps_ + step - 1};
    if (m < shape_.ranks) return {};
    const std::uint32_t half_way_back = steps_ - 1 - steps_ / 4;
    return {(m - shape_.ranks) * steps_ + half_way_back};
  }

  const RunShape& shape_;
  std::uint32_t steps_;
};

}  // namespace

std::vector<RankOrder> wave(const RunShape& shape) {
  const WaveTasks tasks(shape);
  std::vector<RankOrder> orders;
  for (const std::vector<std::uint32_t>& of_rank : list_schedule(tasks.tasks(), shape.ranks)) {
    RankOrder& order = orders.emplace_back();
    order.reserve(of_rank.size());
    for (std::uint32_t task : of_rank) order.push_back(tasks.slot(task));
  }
  return orders;
}

}  // namespace spillway
