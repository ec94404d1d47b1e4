#include "ask/trial_text.h"

#include <fmt/format.h>

#include "ask/why_text.h"
#include "words/table.h"
#include "words/wording.h"

namespace spillway {

std::string change_words(const LayoutChange& change, const PlanLayout& from) {
  std::string text = to_string(change);
  if (change.more_devices) text += fmt::format(", {} devices", change.layout.devices);
  if (change.layout.replicas != from.replicas) text += fmt::format(", R {}", change.layout.replicas);
  return text;
}

std::string memory_cell(const LayoutTrial& trial) {
  return trial.memory ? fmt::format("{:.1f}", trial.memory->value() / 1e9) : "-";
}

std::string fits_cell(const LayoutTrial& trial) {
  return !trial.fits ? "unknown" : *trial.fits ? "yes" : "no";
}

std::string impossible_lines(const std::vector<TriedLayout>& all, const PlanLayout& from) {
  std::string text;
  for (const TriedLayout& one : all)
    if (!one.trial.is_known())
      text += wrapped("  not possible: ",
                      change_words(one.change, from) + ": " +
                          (one.trial.rules.empty() ? one.trial.refusal : rules_text(one.trial.rules)),
                      kTableColumns);
  return text;
}

}  // namespace spillway
