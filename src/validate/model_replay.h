// The cost model's own durations on a measured order.
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

// Where the model's durations come from. `costs` prices an experiment on an order, which
// outlives the pricing.
struct ModelSource {
  const Experiment& experiment;
  std::function<std::unique_ptr<Pricing>(const Experiment&, const Derived&)> costs;
};

// The experiment's model, cut into the trace's stages and run in the trace's order.
struct ModelReplay {
  Derived derived;
  Durations durations;  // lane = replica of the experiment
  Timeline timeline;    // the longest path under them

  // The lane that stands for a measured replica: itself, or the first where there are not so many.
  std::uint32_t lane_of(ReplicaId replica) const {
    return replica.index() < durations.lanes() ? replica.index() : 0;
  }
};

// Nothing where the experiment is about another pipeline: other ranks, or fewer layers than stages, or listed
// work of too few microbatches. Every difference from the trace is in `notes`, added at the end. The trace's
// microbatch count and the inferred mode of transfers replace the experiment's.
std::optional<ModelReplay> model_replay(const MeasuredPipeline& pipeline, const ScheduleMatch& match,
                                        PointToPoint point_to_point, const ModelSource& source,
                                        std::vector<Note>& notes);

}  // namespace spillway
