// A sweep's encoder-to-bubble ratio from a report's figures of ranks.
#pragma once

#include "sweep/evaluate.h"
#include "timing/step_figures.h"

namespace spillway::testing {

// Summed as StepFigures is: ranks, then the simulated replicas, without those that they stand for.
inline double encoder_to_bubble_of(const DrawResult& draw, const ScheduleResult& schedule) {
  const std::size_t ranks = schedule.derived->pipeline.ranks;
  Seconds encoder, slack;
  for (std::size_t first = 0; first < draw.ranks.size() / schedule.equal_replicas; first += ranks) {
    Seconds encoder_of_replica, slack_of_replica;
    for (std::size_t rank = first; rank < first + ranks; ++rank) {
      encoder_of_replica += draw.ranks[rank].encoder;
      slack_of_replica += draw.ranks[rank].warmup_slack;
    }
    encoder += encoder_of_replica;
    slack += slack_of_replica;
  }
  return encoder_to_bubble(encoder, slack);
}

}  // namespace spillway::testing
