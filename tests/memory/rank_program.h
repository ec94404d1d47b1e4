// Reads orders of one rank from text as schedules print them. "F0.1 F0.2 I0.1 W0.1 B0.2" runs microbatches 1
// and 2 of stage 0; "F1.3&B0.2" is one fused event.
#pragma once

#include <sstream>
#include <string>
#include <variant>

#include "support/pipelines.h"

namespace spillway::testing {

inline void set_slot(const std::string& text, StageId& stage, MicrobatchId& microbatch) {
  const std::size_t dot = text.find('.');
  stage = StageId(static_cast<std::uint32_t>(std::stoul(text.substr(1, dot - 1))));
  microbatch = MicrobatchId(static_cast<std::uint32_t>(std::stoul(text.substr(dot + 1)) - 1));
}

inline Event event_from(const std::string& word) {
  const std::size_t fused = word.find('&');
  Event event{};
  set_slot(word.substr(0, fused), event.stage, event.microbatch);
  if (fused != std::string::npos) {
    event.kind = EventKind::ForwardBackward;
    set_slot(word.substr(fused + 1), event.peer_stage, event.peer_microbatch);
  } else {
    event.kind = word[0] == 'F'   ? EventKind::Forward
                 : word[0] == 'B' ? EventKind::Backward
                 : word[0] == 'I' ? EventKind::BackwardInput
                                  : EventKind::BackwardWeight;
  }
  return event;
}

// Returns an order in which one rank with `stages` pipelined stages runs `program`.
inline Derived one_rank(std::uint32_t stages, const std::string& program) {
  std::string regions = "1f1b";
  for (std::uint32_t i = 1; i < stages; ++i) regions += ",1f1b";
  Derived derived = uniform(regions, 1, 1);
  OrderBuilder builder(1);
  std::istringstream words(program);
  for (std::string word; words >> word;) {
    const std::uint32_t added = builder.add(event_from(word));
    if (added > 0) builder.edge(added - 1, added, EdgeKind::Sequence);
  }
  derived.order = std::get<Order>(std::move(builder).build());
  return derived;
}

}  // namespace spillway::testing
