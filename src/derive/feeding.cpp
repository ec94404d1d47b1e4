#include "derive/feeding.h"

#include <algorithm>

namespace spillway {

std::optional<Feeding> feeding_of(const Outline& outline) {
  const std::vector<Seam>& seams = outline.collectives.seams;
  const auto seam = std::find_if(seams.begin(), seams.end(), [&](const Seam& s) {
    return s.forward == Comm::Gather && outline.placement[s.upstream.index()].layout == Layout::Replicated;
  });
  if (seam == seams.end()) return std::nullopt;
  return Feeding{seam->upstream, seam->downstream};
}

bool is_transposed_work(const Outline& outline, const std::optional<Feeding>& feeding, const Event& event) {
  return feeding && event.computes() && feeding->is_transposed(outline.stage(event.stage).region);
}

bool is_transposed_forward(const Outline& outline, const std::optional<Feeding>& feeding,
                           const Event& event) {
  return event.runs_forward() && is_transposed_work(outline, feeding, event);
}

Durations transposed_free(const Derived& derived, Durations durations) {
  const std::optional<Feeding> feeding = feeding_of(derived);
  const auto events = derived.order.events();
  for (std::uint32_t index = 0; index < events.size(); ++index)
    if (is_transposed_work(derived, feeding, events[index])) durations.fill(EventId(index), Seconds());
  return durations;
}

bool feeds(const Outline& outline, const Feeding& feeding, const Event& event) {
  return event.kind == EventKind::Collective && feeding.is_transposed(outline.stage(event.stage).region) &&
         outline.stage(event.peer_stage).region == feeding.fed;
}

}  // namespace spillway
