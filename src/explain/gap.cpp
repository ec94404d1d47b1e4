#include "explain/gap.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "evaluate/steps.h"
#include "explain/changed_steps.h"
#include "explain/explanation.h"
#include "explain/solve_gap.h"

namespace spillway {
namespace {

// The settings of a cause, at the value of its number.
struct ValuedCause {
  const GapCause* cause;
  double value = 0;

  std::vector<Setting> settings() const { return cause->scale ? cause->at(value) : cause->settings; }
  std::string words() const {
    std::string words = cause->words;
    if (cause->scale) words.replace(words.find("{}"), 2, number_in_words(value));
    return words;
  }
  bool published() const {
    return std::ranges::any_of(cause->scale->published,
                               [this](double one) { return std::abs(value / one - 1) <= kNearPublished; });
  }
};

struct Plausible {
  double plausibility;
  std::string because;
};

Plausible plausible(const ValuedCause& one) {
  const GapCause& cause = *one.cause;
  if (!cause.statement.empty()) return {cause.plausibility, "the experiment states " + cause.statement};
  if (cause.scale && !one.published())
    return {std::min(cause.plausibility, kBetweenPlausibility), "within what has been published"};
  if (cause.plausibility == kStatedPlausibility)
    return {cause.plausibility, "the experiment states otherwise"};
  if (cause.plausibility == kBetweenPlausibility)
    return {cause.plausibility, "a variant of the stated software"};
  return {cause.plausibility, cause.scale ? "a published value" : "not stated"};
}

class Gap {
 public:
  Gap(const PredictedStep& step, Seconds measured)
      : steps_(step.read_again, step.fitted), measured_(measured), as_is_(*steps_.of({})) {
    account_.predicted = as_is_.makespan;
    account_.measured = measured;
    account_.interval = step.schedule.interval;
    causes_ = gap_causes(step.read_again({}), step.document, busiest_rank(step.schedule).rank);
  }

  GapAccount account(Together most) {
    if (!account_.is_gap()) return std::move(account_);
    for (const GapCause& cause : causes_) try_one(cause);
    rank(account_.settings);
    keep_one_straggler();
    if (most == Together::Two && !account_.one_suffices()) try_pairs();
    return std::move(account_);
  }

 private:
  bool slower() const { return measured_ > as_is_.makespan; }

  static void rank(std::vector<TriedSetting>& settings) {
    std::ranges::stable_sort(settings, std::greater(), &TriedSetting::score);
  }

  // The best of the ranks that were tried.
  void keep_one_straggler() {
    bool kept = false;
    std::erase_if(account_.settings, [&](const TriedSetting& one) {
      return one.settings.front().pointer == "/what_if/straggler" && std::exchange(kept, true);
    });
  }

  double closes(Seconds makespan) const {
    const Seconds gap = measured_ - as_is_.makespan, left = measured_ - makespan;
    return 1 - std::abs(left / gap);
  }

  TriedSetting tried(const std::vector<ValuedCause>& together, const ChangedStep& step) const {
    TriedSetting all{"", {}, 1, "", step.makespan, closes(step.makespan), step.fits};
    for (const ValuedCause& one : together) {
      const Plausible how = plausible(one);
      add_to_list(all.words, one.words(), "; and ");
      add_to_list(all.because, how.because, "; ");
      all.plausibility *= how.plausibility;
      for (Setting& setting : one.settings()) all.settings.push_back(std::move(setting));
      if (const auto& scale = one.cause->scale)
        all.solved.push_back({one.value, std::min(scale->slower, scale->faster),
                              std::max(scale->slower, scale->faster), one.published()});
    }
    if (step.fits == false && as_is_.fits != false) {
      all.plausibility = std::min(all.plausibility, kStatedPlausibility);
      all.because = "does not fit into memory";
    }
    return all;
  }

  // Solves the last cause's number, if it has one, while the others stay.
  std::optional<TriedSetting> solved(std::vector<ValuedCause> together) {
    const GapCause& last = *together.back().cause;
    std::vector<Setting> fixed;
    for (std::size_t i = 0; i + 1 < together.size(); ++i)
      for (Setting& setting : together[i].settings()) fixed.push_back(std::move(setting));
    const auto with = [&](const std::vector<Setting>& more) {
      std::vector<Setting> all = fixed;
      all.insert(all.end(), more.begin(), more.end());
      return steps_.of(all);
    };
    if (last.scale) {
      const auto value =
          solve_gap(*last.scale, slower(), measured_, [&](double v) { return with(last.at(v)); });
      if (!value) return std::nullopt;
      together.back().value = *value;
    }
    const auto step = with(together.back().settings());
    return step ? std::optional(tried(together, *step)) : std::nullopt;
  }

  void try_one(const GapCause& cause) {
    std::optional<TriedSetting> one = solved({{&cause}});
    if (!one || one->makespan == as_is_.makespan) return;
    account_.settings.push_back(*std::move(one));
    tried_causes_.emplace_back(account_.settings.back().words, &cause);
  }

  const GapCause& cause_of(const TriedSetting& setting) const {
    return *std::ranges::find(tried_causes_, setting.words, &std::pair<std::string, const GapCause*>::first)
                ->second;
  }

  // Of two numbers, each takes its first published value once, while the other is solved.
  void try_pairs() {
    account_.pairs_tried = true;
    const std::size_t count = std::min(kPaired, account_.settings.size());
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t j = i + 1; j < count; ++j) try_pair(account_.settings[i], account_.settings[j]);
    rank(account_.pairs);
  }

  void try_pair(const TriedSetting& a, const TriedSetting& b) {
    if (a.settings.front().pointer == b.settings.front().pointer) return;
    const GapCause &first = cause_of(a), &second = cause_of(b);
    std::optional<TriedSetting> pair = second.scale ? solved_pair(first, second) : solved_pair(second, first);
    if (first.scale && second.scale)
      if (auto other = solved_pair(second, first); other && (!pair || other->closes > pair->closes))
        pair = std::move(other);
    if (!pair || pair->closes < std::max(a.closes, b.closes) + kTied) return;
    account_.pairs.push_back(*std::move(pair));
  }

  // The second takes the value that closes most beside the first.
  std::optional<TriedSetting> solved_pair(const GapCause& first, const GapCause& second) {
    return solved({{&first, first.scale ? first.scale->published.front() : 0}, {&second}});
  }

  ChangedSteps steps_;
  Seconds measured_;
  ChangedStep as_is_;
  std::vector<GapCause> causes_;
  std::vector<std::pair<std::string, const GapCause*>> tried_causes_;
  GapAccount account_ = {};
};

}  // namespace

std::optional<bool> GapAccount::inside_interval() const {
  if (!interval) return std::nullopt;
  return interval->holds(measured, predicted);
}

bool GapAccount::is_gap() const {
  return std::abs(predicted / measured - 1) > kClosed;
}

bool GapAccount::suffices(const TriedSetting& setting) const {
  return std::abs(setting.makespan / measured - 1) <= kClosed && setting.plausibility >= kOpenPlausibility;
}

bool GapAccount::one_suffices() const {
  return std::ranges::any_of(settings, [this](const TriedSetting& one) { return suffices(one); });
}

std::size_t GapAccount::tied() const {
  if (settings.empty()) return 0;
  const double best = settings.front().score();
  return static_cast<std::size_t>(std::ranges::count_if(
      settings, [best](const TriedSetting& one) { return best - one.score() < kTied; }));
}

GapAccount explain_gap(const PredictedStep& step, Seconds measured, Together most) {
  return Gap(step, measured).account(most);
}

}  // namespace spillway
