// Applies the cost model's own durations to a measured order.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "cost/price.h"
#include "experiment/experiment.h"
#include "timing/timeline.h"
#include "traces/files/note.h"
#include "traces/pipeline/pipeline.h"

namespace spillway {

// The source of the model's durations. `costs` prices an experiment on an order, which outlives the pricing.
struct ModelSource {
  const Experiment& experiment;
  std::function<std::unique_ptr<Pricing>(const Experiment&, const Derived&)> costs;
};

// The experiment's model, cut into the trace's stages and run in the trace's order.
struct ModelReplay {
  Derived derived;
  Durations durations;  // lane = replica of the experiment
  Timeline timeline;    // the longest path under them

  // The lane for a measured replica: its own, or the first if there are fewer lanes.
  std::uint32_t lane_of(ReplicaId replica) const {
    return replica.index() < durations.lanes() ? replica.index() : 0;
  }
};

// Returns nothing if the experiment describes another pipeline: other ranks, fewer layers than stages, or
// listed work for too few microbatches. Adds every difference from the trace to `notes`. The trace's
// microbatch count and the inferred transfer mode replace the experiment's.
std::optional<ModelReplay> model_replay(const MeasuredPipeline& pipeline, const ScheduleMatch& match,
                                        PointToPoint point_to_point, const ModelSource& source,
                                        std::vector<Note>& notes);

}  // namespace spillway
