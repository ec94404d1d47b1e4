// The two clocks against the one profiled run available (Ascend/msinsight's example, PP2 x DP2 on 910B).
// Kernels take their measured times. A launch takes the time that the first stage's forwards show, which wait
// for their host throughout. The last stage is the check: its logits keep the device busy while the host
// issues the backward.
#include <gtest/gtest.h>

#include <algorithm>

#include "cost/slabs/host_queue.h"
#include "support/measured_data.h"
#include "traces/formats/read_trace.h"

namespace spillway {
namespace {

// A forward, or passes that follow each other without a transfer in between.
struct Stretch {
  Seconds start;
  Seconds end;
  std::vector<TraceEvent> kernels;

  Seconds busy() const {
    Seconds sum;
    for (const TraceEvent& kernel : kernels) sum += kernel.duration;
    return sum;
  }
  Seconds queued(Seconds launch) const {
    HostQueue queue;
    for (const TraceEvent& kernel : kernels)
      queue = queue.then(HostQueue::of_kernels(1, kernel.duration, launch));
    return queue.span();
  }
  Seconds longer(Seconds launch) const {
    return std::max(busy(), launch * static_cast<double>(kernels.size()));
  }
  double off(Seconds predicted) const { return predicted / (end - start) - 1; }
};

class HostQueueProfile : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto folder = testing::measured_data("ascend_910b_pp2");
    if (!folder) GTEST_SKIP() << "SPILLWAY_MEASURED_DATA is not set";
    trace_ = read_trace(*folder);
  }

  // Returns these passes of a microbatch on the rank of the first replica, joined.
  Stretch stretch(std::uint16_t rank, std::uint32_t microbatch, std::vector<TraceKind> passes) const {
    Stretch found{Seconds(1e9), Seconds(), {}};
    for (const TraceEvent& event : of_rank(rank)) {
      if (event.microbatch != microbatch || std::ranges::find(passes, event.kind) == passes.end()) continue;
      found.start = std::min(found.start, event.start);
      found.end = std::max(found.end, event.end());
    }
    for (const TraceEvent& event : of_rank(rank))
      if (event.kind == TraceKind::Kernel && event.start >= found.start && event.start < found.end)
        found.kernels.push_back(event);
    return found;
  }

  Seconds launch() const {
    Seconds span;
    double kernels = 0;
    for (const std::uint32_t microbatch : {0U, 1U}) {
      const Stretch forward = stretch(0, microbatch, {TraceKind::Forward});
      span += forward.end - forward.start;
      kernels += static_cast<double>(forward.kernels.size());
    }
    return span / kernels;
  }

 private:
  std::vector<TraceEvent> of_rank(std::uint16_t rank) const {
    std::vector<TraceEvent> events;
    for (const TraceEvent& event : trace_.events)
      if (event.replica == 0 && event.rank == rank) events.push_back(event);
    return events;
  }

  Trace trace_;
};

TEST_F(HostQueueProfile, TheLastStageTakesWhatItTook) {
  for (const std::uint32_t microbatch : {0U, 1U}) {
    const Stretch both = stretch(1, microbatch, {TraceKind::Forward, TraceKind::Backward});
    ASSERT_GT(both.kernels.size(), 900U);
    EXPECT_NEAR(both.off(both.queued(launch())), 0, 0.02);
    EXPECT_LT(both.off(both.longer(launch())), -0.15);  // the longer of the two clocks alone is too short
  }
}

// Another thread launches backwards: in one place a tenth faster, in another equally fast.
TEST_F(HostQueueProfile, TheFirstStagesBackwardsLieWithinAnEighth) {
  for (const std::uint32_t microbatch : {0U, 1U}) {
    const Stretch backward = stretch(0, microbatch, {TraceKind::Backward});
    ASSERT_GT(backward.kernels.size(), 500U);
    EXPECT_NEAR(backward.off(backward.queued(launch())), 0, 0.14);
  }
}

}  // namespace
}  // namespace spillway
