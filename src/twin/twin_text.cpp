#include <fmt/format.h>

#include "input/experiment/measured_rows.h"
#include "twin/twin.h"
#include "words/duration_text.h"
#include "words/table.h"
#include "words/wording.h"

namespace spillway {
namespace {

constexpr std::size_t kMostLines = 24;  // of measured passes; the JSON document has all

// "97-104 %": the shortest and the longest repeat.
template <class Group>
std::string of_mean(const Group& group) {
  if (group.repeats < 2) return "";
  return fmt::format("{:.0f}-{}", 100 * (group.least / group.mean()), percent(group.most / group.mean(), 0));
}

std::string over(Seconds measured, Seconds model) {
  return model > Seconds() ? fmt::format("{:.2f} x", measured / model) : "";
}

std::string passes_text(const TwinAccount& account) {
  TableRows rows{{"stage", "direction", "content", "repeats", "mean", "of mean", "roofline"}};
  for (const auto& [stage, content, group] : account.lines) {
    if (rows.size() > kMostLines) break;
    rows.push_back({stage, std::string(direction_word(group.pass)), content, std::to_string(group.repeats),
                    duration_text(group.mean()), of_mean(group), over(group.mean(), group.roofline)});
  }
  for (const auto& [stage, group] : account.updates)
    rows.push_back({stage, std::string(kOptimizerWord), "", std::to_string(group.repeats),
                    duration_text(group.mean()), of_mean(group), over(group.mean(), group.modelled)});
  std::string text = table_text(std::move(rows));
  if (account.lines.size() > kMostLines)
    text += fmt::format("  and {} more (--json has all)\n", account.lines.size() - kMostLines);
  return text;
}

std::string range_text(const CoveredLayer& layer) {
  const LayerFit& fit = layer.fit;
  if (!fit.measured()) return "";
  const char* unit = layer.over_patches ? "patches" : "tokens";
  if (fit.least == fit.most) return fmt::format("{:.0f} {}", fit.least.tokens, unit);
  return fmt::format("{:.0f} to {:.0f} {}", fit.least.tokens, fit.most.tokens, unit);
}

std::string form_text(const LayerFit& fit) {
  switch (fit.form) {
    case FitForm::NotMeasured:
      return "roofline";
    case FitForm::Factor:
      return fmt::format("{:.2f} x roofline", fit.factor);
    case FitForm::OffsetAndFactor:
      return fmt::format("{} + {:.2f} x roofline", duration_text(fit.offset), fit.factor);
    case FitForm::Curve:
      return fmt::format("{} + {:.3g} us + {:.3g} ns", duration_text(fit.offset), 1e6 * fit.linear,
                         1e9 * fit.quadratic);
  }
  return "";
}

std::string layers_table(const TwinAccount& account) {
  TableRows rows{{"layers", "count", "direction", "sizes", "from to", "a layer"}};
  for (const CoveredLayer& layer : account.layers)
    rows.push_back({layer.layers, std::to_string(layer.count), std::string(direction_word(layer.pass)),
                    std::to_string(layer.fit.sizes), range_text(layer), form_text(layer.fit)});
  return table_text(std::move(rows));
}

std::string shares_text(const std::vector<ScheduleResult>& schedules) {
  std::string text;
  for (const ScheduleResult& schedule : schedules)
    if (const auto shares = measured_shares(schedule))
      text += wrapped(fmt::format("  {}: ", schedule.name),
                      fmt::format("{} of the passes' time is measured, {} extrapolated, {} from elsewhere",
                                  percent(shares->measured, 1), percent(shares->extrapolated, 1),
                                  percent(shares->other, 1)),
                      kTableColumns);
  return text;
}

}  // namespace

std::string twin_text(const TwinAccount& account, const std::vector<ScheduleResult>& schedules,
                      const std::string& result) {
  std::string text =
      "Measured passes (of mean: the shortest and the longest repeat; roofline: over its time)\n";
  text += passes_text(account);
  text += "\nLayers by them (a curve: + time per token or patch, + time per pair of them)\n";
  text += layers_table(account);
  if (account.spread > 0) text += "  repeats lie " + percent(account.spread, 1) + " about their means\n";
  for (const std::string& doubt : account.doubts) text += wrapped("  warning: ", doubt, kTableColumns);
  for (const std::string& note : account.notes) text += wrapped("  note: ", note, kTableColumns);
  const std::string shares = shares_text(schedules);
  if (!shares.empty()) text += "\nEvidence\n" + shares;
  return text + '\n' + result;
}

}  // namespace spillway
