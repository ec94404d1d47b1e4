#include "report/step/explain_spill.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "words/duration_text.h"

namespace spillway {
namespace {

std::string encoder_part_text(const EncoderOnCriticalPath& part) {
  std::string text;
  if (part.forward > Seconds()) text = duration_text(part.forward) + " of encoding";
  if (part.backward > Seconds())
    text += (text.empty() ? "" : " and ") + duration_text(part.backward) + " of encoder backward";
  return text + fmt::format(" on rank {}", part.rank.index());
}

// Names at most three ranks, those with the most encoder time first.
std::string on_path_text(std::vector<EncoderOnCriticalPath> parts) {
  constexpr std::size_t named = 3;
  std::stable_sort(parts.begin(), parts.end(),
                   [](const auto& a, const auto& b) { return a.time() > b.time(); });
  std::string text;
  for (std::size_t i = 0; i < std::min(parts.size(), named); ++i)
    text += (i == 0 ? "" : ", ") + encoder_part_text(parts[i]);
  if (parts.size() > named) text += fmt::format(" and {} more ranks", parts.size() - named);
  return text;
}

// Returns true if the two are equal except for the rounding of sums.
bool same(const SpillAccount& spill) {
  const double scale = std::max(spill.formula.value(), spill.exposed.value());
  return std::abs(spill.formula.value() - spill.exposed.value()) <= 1e-9 * scale;
}

bool backward_is_exposed(const SpillAccount& spill) {
  return std::any_of(spill.on_path.begin(), spill.on_path.end(),
                     [](const EncoderOnCriticalPath& part) { return part.backward > Seconds(); });
}

// The formula counts only the forwards of the worst rank. It lets that rank use all of its warm-up slack, but
// none of its later idle time.
std::string why(const SpillAccount& spill) {
  if (spill.exposed < spill.formula) return "idle time after the warm-up absorbs the rest";
  std::string reason =
      "microbatches enter the pipeline in order, each only after its encode, even if its rank has slack left";
  if (backward_is_exposed(spill)) reason += ", and the spill leaves out encoder backwards";
  return reason;
}

std::string difference(const SpillAccount& spill) {
  if (same(spill)) return "the same";
  const bool more = spill.exposed > spill.formula;
  const Seconds by = more ? spill.exposed - spill.formula : spill.formula - spill.exposed;
  return fmt::format("{} {} than the spill, since {}", duration_text(by), more ? "more" : "less", why(spill));
}

}  // namespace

std::string explain_spill(const ScheduleResult& schedule) {
  if (!schedule.first.spill) return "no region is transposed in front of the pipeline, so nothing spills";
  const SpillAccount& spill = *schedule.first.spill;
  const std::string draw = schedule.draws.size() > 1 ? "in the first draw " : "";
  return fmt::format("{}max spill {}, exposed encoder {}: {}; encoder work on the critical path: {}", draw,
                     duration_text(spill.formula), duration_text(spill.exposed), difference(spill),
                     spill.on_path.empty() ? "none" : on_path_text(spill.on_path));
}

}  // namespace spillway
