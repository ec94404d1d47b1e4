#include "report/inputs/steady_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "words/duration_text.h"
#include "words/table.h"
#include "words/wording.h"

namespace spillway {
namespace {

std::string interval_words(const HeldStep& one) {
  if (!one.interval) return "";
  return duration_text(one.predicted * one.interval->low) + " to " +
         duration_text(one.predicted * one.interval->high);
}

std::string inside_words(const HeldStep& one) {
  const auto holds = one.holds();
  return !holds ? "" : *holds ? "inside" : "outside";
}

}  // namespace

std::string steady_words(const SteadySteps& steady) {
  const std::string half = steady.mean_ci95 ? " +- " + percent(*steady.mean_ci95 / steady.mean, 2) : "";
  return fmt::format("{}{} ({}{})", duration_text(steady.mean), half,
                     steady.mean_ci95 ? "95 % interval of the mean, " : "", counted(steady.steps, "step"));
}

std::string steady_text(const SteadySteps& steady) {
  std::string text = fmt::format("steady step:  {}\n", steady_words(steady));
  text += wrapped("warm-up:      ",
                  fmt::format("{}, those before the first step within {} of the median of the later half",
                              counted(steady.warm_up, "step"), percent(kWarmUpAbove - 1, 0)),
                  kTableColumns);
  text += fmt::format("spread:       median {}, {} to {}, cv {}\n", duration_text(steady.median),
                      duration_text(steady.least), duration_text(steady.most), percent(steady.cv, 2));
  if (!steady.drift) return text;
  return text + fmt::format("drift:        {} from the first to the last third of these steps{}\n",
                            signed_percent(*steady.drift, 2),
                            steady.drifts ? ", more than they vary by" : ", within what they vary by");
}

std::string predictions_text(const std::vector<HeldStep>& predicted) {
  if (predicted.empty()) return "";
  TableRows rows = {{"schedule", "predicted", "measured", "error", "90 % interval", "measured is"}};
  for (const HeldStep& one : predicted)
    rows.push_back({one.schedule, duration_text(one.predicted), duration_text(one.measured),
                    signed_percent(one.error(), 1), interval_words(one), inside_words(one)});
  return '\n' + table_text(rows);
}

std::string prediction_words(const std::vector<HeldStep>& predicted) {
  if (predicted.empty()) return "";
  const HeldStep& first = predicted.front();
  const std::string inside = inside_words(first);
  return fmt::format("; {} misses it by {}{}", first.schedule, signed_percent(first.error(), 1),
                     inside.empty() ? "" : ", " + inside + " its 90 % interval");
}

std::string ranks_words(const std::vector<std::uint32_t>& ranks) {
  constexpr std::size_t kMost = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(ranks.size(), kMost); ++i) add_to_list(text, std::to_string(ranks[i]));
  return ranks.size() > kMost ? fmt::format("{} and {} more", text, ranks.size() - kMost) : text;
}

}  // namespace spillway
