#include "measured/straggler_what_if.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace spillway {
namespace {

// Events of one pipeline rank.
class Job {
 public:
  void add(std::uint16_t replica, TraceKind kind, const std::string& name, double start, double duration) {
    const auto known = std::find(trace_.names.begin(), trace_.names.end(), name);
    const auto number = static_cast<std::uint32_t>(known - trace_.names.begin());
    if (known == trace_.names.end()) trace_.names.push_back(name);
    trace_.events.push_back({Seconds(start), Seconds(duration), 0, 0, number, replica, 0, 0, 0, kind});
  }

  Trace trace() {
    trace_.steps = {"7"};
    normalise(trace_);
    return trace_;
  }

 private:
  Trace trace_;
};

// One microbatch on one rank; `late` seconds after the start its parameters are gathered, for a second after
// the last replica has come.
void add_replica(Job& job, std::uint16_t replica, double late, double forward) {
  job.add(replica, TraceKind::Collective, "params-all-gather", late, 1.4 - late);
  job.add(replica, TraceKind::Forward, "forward-compute", 1.5, forward);
  job.add(replica, TraceKind::Backward, "backward-compute", 4, 3);
  job.add(replica, TraceKind::Host, "gc", 7.1, 0);
  job.add(replica, TraceKind::Collective, "grads-reduce-scatter", 7.5, 0.2);
  job.add(replica, TraceKind::Host, "optimizer", 8, 1);
}

TEST(StragglerWhatIf, OneRankByHand) {
  Job job;
  add_replica(job, 0, 0, 2);
  add_replica(job, 1, 0.4, 1);
  const auto what_if = straggler_what_if(job.trace());
  ASSERT_TRUE(what_if);
  ASSERT_EQ(what_if->steps.size(), 1u);
  EXPECT_EQ(what_if->steps[0].step, "7");
  EXPECT_NEAR(what_if->steps[0].measured.value(), 9, 1e-12);
  // Gathering starts at 0 and takes a second; the replica with the longer forward is the last.
  EXPECT_NEAR(what_if->steps[0].without_delays.value(), 1 + 2 + 3 + 0.2 + 1, 1e-12);
  EXPECT_NEAR(what_if->without_variation.value(), 1 + 1.5 + 3 + 0.2 + 1, 1e-12);
  EXPECT_NEAR(what_if->slowdown(), 7.2 / 6.7, 1e-12);
}

TEST(StragglerWhatIf, WorkOfAnotherKindIsNotGuessed) {
  Job job;
  add_replica(job, 0, 0, 2);
  job.add(0, TraceKind::Kernel, "gemm", 2, 0.1);
  EXPECT_FALSE(straggler_what_if(job.trace()));
}

TEST(StragglerWhatIf, AReplicaThatLacksAnOperationIsNotCompared) {
  Job job;
  add_replica(job, 0, 0, 2);
  add_replica(job, 1, 0.4, 1);
  job.add(1, TraceKind::Forward, "forward-compute", 20, 1);
  EXPECT_FALSE(straggler_what_if(job.trace()));
}

TEST(StragglerWhatIf, AnEmptyTraceSaysNothing) {
  EXPECT_FALSE(straggler_what_if({}));
}

}  // namespace
}  // namespace spillway
