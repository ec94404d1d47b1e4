#include "search/answer/layout_json.h"

#include "json/word_of.h"

namespace spillway {

nlohmann::ordered_json layout_json(const PlanJob& job, const PlanLayout& layout) {
  return {{"devices", layout.devices},
          {"ranks", layout.ranks},
          {"tensor", layout.tensor},
          {"context", layout.context},
          {"expert", layout.expert},
          {"replicas", layout.replicas},
          {"microbatches", layout.microbatches},
          {"microbatch_sequences", layout.microbatch},
          {"schedule", job.search.schedules[layout.schedule].name},
          {"recompute", word_of(kRecomputes, layout.recompute)},
          {"data", word_of(kDataParallels, layout.data)}};
}

}  // namespace spillway
