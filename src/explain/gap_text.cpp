#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "explain/gap.h"
#include "words/duration_text.h"
#include "words/table.h"
#include "words/wording.h"

namespace spillway {
namespace {

constexpr std::size_t kShown = 10;
constexpr double kShownShare = 0.005;

std::string gap_words(const GapAccount& account) {
  const double share = account.measured / account.predicted - 1;
  return fmt::format("the measured {} is {} {} than the predicted {}", duration_text(account.measured),
                     percent(std::abs(share), 1), share > 0 ? "longer" : "shorter",
                     duration_text(account.predicted));
}

std::string interval_words(const GapAccount& account) {
  const std::optional<bool> inside = account.inside_interval();
  if (!inside) return "";
  const std::string ends = fmt::format("{} to {}", duration_text(account.predicted * account.interval->low),
                                       duration_text(account.predicted * account.interval->high));
  return *inside ? "; it lies inside of the 90 % interval (" + ends + "): nothing needs explaining"
                 : "; it lies outside of the 90 % interval (" + ends + ")";
}

// "A", "A or B, which cannot be told apart".
std::string top_words(const GapAccount& account) {
  std::string words;
  for (const TriedSetting& one : std::span(account.settings).first(account.tied()))
    add_to_list(words, one.words, "; or ");
  return words + (account.tied() > 1 ? " (these cannot be told apart)" : "");
}

std::string pair_words(const GapAccount& account) {
  if (!account.pairs_tried) return "";
  const auto most = std::ranges::max_element(account.pairs, {}, &TriedSetting::closes);
  if (most == account.pairs.end() || most->closes <= account.settings.front().closes)
    return "; no two of the first ten close more";
  // The most plausible of those that close as much.
  const auto best = std::ranges::find_if(
      account.pairs, [&](const TriedSetting& pair) { return most->closes - pair.closes < kTied; });
  return fmt::format("; two together close {}: {}", percent(best->closes, 0), best->words);
}

std::string cause_words(const GapAccount& account) {
  const std::size_t tried = account.settings.size();
  if (!account.is_gap()) return "; no setting is tried, since they differ by 1 % at most";
  if (account.settings.empty()) return "; no setting changes the step, so nothing here explains the gap";
  if (account.one_suffices())
    return fmt::format("; one setting of {} that nobody stated closes the gap: {}", tried,
                       top_words(account));
  return fmt::format(
      "; no single one of {} settings suffices at a published value; the best, {}, closes {} of the gap{}",
      tried, account.settings.front().words, percent(account.settings.front().closes, 0),
      pair_words(account));
}

// The words come last, since those of two settings are long.
std::string list_of(const char* heading, const std::vector<TriedSetting>& settings, TimeUnit unit) {
  std::string lines;
  std::size_t shown = 0;
  for (const TriedSetting& one : settings) {
    if (shown++ == kShown || one.closes < kShownShare) break;
    lines += wrapped(fmt::format("  {:>6}  {:>9.2g}  {:>8}  ", percent(one.closes, 0), one.plausibility,
                                 number_text(one.makespan, unit, one.makespan)),
                     one.words, kTableColumns);
  }
  return lines.empty() ? "" : fmt::format("\n  closes  plausible  {:>8}  {}\n", "step", heading) + lines;
}

constexpr const char* kGapLegend =
    "closes     share of the gap to the measured step\n"
    "plausible  1: nobody states it, at a word or a published value; 0.5: a value inside the published\n"
    "           range, or a variant of the stated software; 0.1: the experiment states otherwise, or it\n"
    "           does not fit into memory; of two, the product\n";

}  // namespace

std::string gap_verdict(const GapAccount& account) {
  return gap_words(account) + interval_words(account) + cause_words(account);
}

std::string gap_text(const GapAccount& account) {
  const TimeUnit unit = unit_for(account.measured);
  std::string text = wrapped("  ", gap_verdict(account), kTableColumns);
  const std::string one = list_of("what would close the gap", account.settings, unit);
  text += one + list_of("two together", account.pairs, unit);
  return text + (one.empty() ? "" : '\n' + std::string(kGapLegend));
}

}  // namespace spillway
