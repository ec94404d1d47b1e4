#include "search/answer/plan_decision.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "json/word_of.h"
#include "memory/memory_text.h"
#include "platform/evidence.h"
#include "search/answer/plan_words.h"
#include "search/known_error.h"
#include "search/plan_choice.h"
#include "words/duration_text.h"
#include "words/with_commas.h"
#include "words/wording.h"

namespace spillway {
namespace {

// On other machines, draws of one number have nothing to do with each other.
StepInterval drawn_apart(StepInterval interval) {
  std::ranges::rotate(interval.by_draw,
                      interval.by_draw.begin() + static_cast<std::ptrdiff_t>(interval.by_draw.size() / 2));
  return interval;
}

PlanDifference difference(const PlanReport& report, const PlanLayout& layout, double value,
                          const std::optional<StepInterval>& unknown) {
  const ShownPlan& first = report.plans.front();
  const std::size_t own = first.plan.layout.cluster;
  const double ratio = value / first.plan.value;
  const double apart = margin(report.job, report.job.clusters[own], report.job.clusters[layout.cluster]);
  PlanDifference one{ratio - 1, {}, std::max(ratio, 1 / ratio) <= 1 + apart, apart};
  if (!unknown || !first.unknown) return one;
  const bool same_machines = report.job.clusters[layout.cluster].stated == report.job.clusters[own].stated;
  one.interval = speedup_interval(same_machines ? *unknown : drawn_apart(*unknown), *first.unknown);
  one.interval->low = ratio * one.interval->low - 1;
  one.interval->high = ratio * one.interval->high - 1;
  return one;
}

// All draws may agree on the faster one, and measured steps still differ more from predicted ones.
std::string tied_words(const PlanDifference& one) {
  const bool draws_agree = one.interval && (one.interval->low > 0 || one.interval->high < 0);
  if (!draws_agree) return ", too little to be told apart";
  return fmt::format(
      ", too little to be told apart: published predictions scatter by {} around measured steps",
      percent(one.apart, 1));
}

std::string difference_text(const PlanReport& report, const PlanDifference& one) {
  const bool usd = report.job.objective == Objective::Usd;
  std::string text = fmt::format("{} {}", percent(std::abs(one.share), 1),
                                 one.share < 0 ? (usd ? "cheaper" : "faster") : (usd ? "dearer" : "slower"));
  if (one.interval)
    text +=
        fmt::format(" [{}, {}]", signed_percent(one.interval->low, 1), signed_percent(one.interval->high, 1));
  return one.tied ? text + tied_words(one) : text;
}

// "2 pipeline ranks (P), 8 replicas (R), each with 8 microbatches of 1 sequence": what is more than one.
std::string layout_words(const PlanJob& job, const PlanLayout& layout) {
  const bool samples = job.clusters.front().analytic().workload.packing == Packing::Unpacked;
  std::string text;
  const auto add = [&](std::uint32_t count, const char* words) {
    if (count > 1) add_to_list(text, fmt::format("{} {}", count, words));
  };
  add(layout.ranks, "pipeline ranks (P)");
  add(layout.tensor, "tensor parallel devices (TP)");
  add(layout.context, "context parallel devices (CP)");
  add(layout.expert, "expert parallel devices (EP)");
  add_to_list(text, counted(layout.replicas, "replica") + " (R)");
  return text + fmt::format(", each with {} microbatch{} of {}", layout.microbatches,
                            layout.microbatches == 1 ? "" : "es",
                            counted(layout.microbatch, samples ? "sample" : "sequence"));
}

std::string schedule_words(const PlanJob& job, const PlanLayout& layout) {
  const ScheduleFamily family = family_of(job.search.schedules[layout.schedule], layout.ranks);
  return family == ScheduleFamily{"", false, PipelineFamily::None}
             ? "no pipeline"
             : job.search.schedules[layout.schedule].name;
}

std::string software_of(const ShownPlan& plan) {
  return launch_writer(*plan.launch.framework).software();
}

std::string how_long(const PlanReport& report) {
  const ShownPlan& best = report.plans.front();
  std::string text = duration_text(best.plan.step) + interval_text(best.plan.step, best.unknown) + " a step";
  if (best.days) text += fmt::format(", {:.1f} days", *best.days);
  if (best.goodput && best.goodput->days) text += fmt::format(" ({:.1f} with failures)", *best.goodput->days);
  return text;
}

std::string how_much(const ShownPlan& best) {
  std::string text;
  if (best.price) text = usd_text(best.price->value());
  if (best.goodput && best.goodput->price)
    text += " (" + usd_text(best.goodput->price->value()) + " with failures)";
  if (best.trillion_useful_tokens)
    add_to_list(text, usd_text(best.trillion_useful_tokens->value()) + " per 10^12 useful tokens");
  return text;
}

std::string memory_words(const EvaluatedPlan& plan) {
  const auto& peak = plan.outcome.schedules.front().peak_memory;
  if (!peak || !plan.outcome.memory_limit) return "";
  return fmt::format("{} of {}, {} of it left", bytes_text(*peak), bytes_text(*plan.outcome.memory_limit),
                     percent(*headroom(plan), 1));
}

std::string how_sure(const PlanReport& report) {
  const ShownPlan& best = report.plans.front();
  const JobCluster& cluster = report.job.clusters[best.plan.layout.cluster];
  std::string text =
      fmt::format("brackets hold 90 %; layouts of {} that differ by less than {} cannot be told apart",
                  cluster.platform().name, percent(layout_error(report.job, cluster).share, 1));
  if (report.tied_choices > 1)
    text += fmt::format("; {} {} with the best", counted(report.tied_choices - 1, "other choice"),
                        report.tied_choices == 2 ? "ties" : "tie");
  if (const auto evidence = best.plan.outcome.schedules.front().evidence)
    text += "; the weakest evidence behind the figures is " + std::string(to_string(*evidence));
  return text;
}

// Why plan 1 stands before a layout that cannot be told apart from it.
std::string preference(const PlanReport& report, const PlanLayout& other, const std::string& launch_reason) {
  const ShownPlan& first = report.plans.front();
  const std::string words =
      preference_words(report.job, first.plan.layout, first.launch, other, launch_reason);
  return words.empty() ? "" : "; " + words;
}

std::string better_words(const PlanReport& report, const RivalPlan& better) {
  const PlanDifference one = difference_of(report, better);
  return differing_text(report.job, report.plans.front().plan.layout, better.layout) + ": " +
         difference_text(report, one) + preference(report, better.layout, better.launch_reason);
}

std::string next_words(const PlanReport& report) {
  const RivalPlan& next = *report.next;
  const auto place = shown_place(report, next);
  const PlanDifference one = difference_of(report, next);
  return (place ? fmt::format("plan {}, ", *place + 1) : "") +
         differing_text(report.job, report.plans.front().plan.layout, next.layout) + ": " +
         difference_text(report, one) + (one.tied ? preference(report, next.layout, next.launch_reason) : "");
}

std::string replay_words(const PlanReport& report, const std::vector<std::size_t>& reversed) {
  std::string text;
  for (const std::size_t i : reversed)
    add_to_list(text, fmt::format("plan {} takes {}", i + 1, duration_text(*report.plans[i].replayed)));
  return fmt::format("the order is the other way round where SimGrid replays the steps: plan 1 takes {}, {}",
                     duration_text(*report.plans.front().replayed), text);
}

std::string launchable_words(const PlanReport& report, std::size_t plan) {
  return fmt::format("plan {} by {}: ", plan + 1, software_of(report.plans[plan])) +
         difference_text(report, difference_of(report, report.plans[plan]));
}

}  // namespace

PlanDifference difference_of(const PlanReport& report, const ShownPlan& plan) {
  return difference(report, plan.plan.layout, plan.plan.value, plan.unknown);
}

PlanDifference difference_of(const PlanReport& report, const RivalPlan& optimum) {
  return difference(report, optimum.layout, optimum.value, optimum.unknown);
}

const RivalPlan* better_than_first(const PlanReport& report) {
  const auto own = std::ranges::find(report.bests, std::size_t{0}, &ClusterBest::plan);
  return own->optimum.layout == report.plans.front().plan.layout ? nullptr : &own->optimum;
}

std::optional<std::size_t> shown_place(const PlanReport& report, const RivalPlan& rival) {
  const auto place =
      std::ranges::find(report.plans, rival.layout, [](const ShownPlan& shown) { return shown.plan.layout; });
  if (place == report.plans.end()) return std::nullopt;
  return static_cast<std::size_t>(place - report.plans.begin());
}

std::optional<std::size_t> to_launch_instead(const PlanReport& report) {
  if (report.plans.front().launch.launch) return std::nullopt;
  const auto found =
      std::ranges::find_if(report.plans, [](const ShownPlan& one) { return !!one.launch.launch; });
  if (found == report.plans.end()) return std::nullopt;
  return static_cast<std::size_t>(found - report.plans.begin());
}

std::vector<std::size_t> reversed_by_replay(const PlanReport& report) {
  const ShownPlan& first = report.plans.front();
  std::vector<std::size_t> reversed;
  for (std::size_t i = 1; first.replayed && i < report.plans.size(); ++i) {
    const ShownPlan& other = report.plans[i];
    if (!other.replayed) continue;
    const auto by_replay = [](const ShownPlan& one) {
      return one.plan.value * (*one.replayed / one.plan.step);
    };
    if ((other.plan.value < first.plan.value) != (by_replay(other) < by_replay(first))) reversed.push_back(i);
  }
  return reversed;
}

std::string differing_text(const PlanJob& job, const PlanLayout& plan, const PlanLayout& other) {
  const JobCluster &one = job.clusters[plan.cluster], &another = job.clusters[other.cluster];
  if (one.stated != another.stated || plan.devices != other.devices)
    return fmt::format("{}, {}, {}", where_text(job, other), grid_text(other), options_text(job, other));
  std::string text;
  const auto add = [&](const char* name, const auto& from, const auto& to) {
    if (from != to) add_to_list(text, fmt::format("{}{} instead of {}", name, to, from));
  };
  add("", one.framework, another.framework);
  add("P=", plan.ranks, other.ranks);
  add("TP=", plan.tensor, other.tensor);
  add("CP=", plan.context, other.context);
  add("EP=", plan.expert, other.expert);
  add("R=", plan.replicas, other.replicas);
  add("microbatches of ", plan.microbatch, other.microbatch);
  add("", job.search.schedules[plan.schedule].name, job.search.schedules[other.schedule].name);
  add("recompute ", word_of(kRecomputes, plan.recompute), word_of(kRecomputes, other.recompute));
  add("", word_of(kDataParallels, plan.data), word_of(kDataParallels, other.data));
  return text;
}

std::string verdict(const PlanReport& report) {
  const ShownPlan& best = report.plans.front();
  const PlanLayout& layout = best.plan.layout;
  std::string text = "Train on " + where_text(report.job, layout);
  if (best.launch.launch) text += ", launched by " + software_of(best);
  text += fmt::format(": {}; {}, recompute {}, {}", layout_words(report.job, layout),
                      schedule_words(report.job, layout), word_of(kRecomputes, layout.recompute),
                      word_of(kDataParallels, layout.data));
  return text + (best.launch.launch ? "." : "; no framework here can launch it.");
}

std::vector<DecisionLine> decision_lines(const PlanReport& report) {
  const ShownPlan& best = report.plans.front();
  std::vector<DecisionLine> lines;
  const auto add = [&](const char* about, std::string text) {
    if (!text.empty()) lines.push_back({about, std::move(text)});
  };
  add("how long", how_long(report));
  add("how much", how_much(best));
  add("memory", memory_words(best.plan));
  add("how sure", how_sure(report));
  add("not launched", best.launch.launch ? "" : best.launch.reason);
  if (const auto launchable = to_launch_instead(report))
    add("can be launched", launchable_words(report, *launchable));
  if (const RivalPlan* better = better_than_first(report)) add("not chosen", better_words(report, *better));
  if (report.next) add("next best", next_words(report));
  if (const auto reversed = reversed_by_replay(report); !reversed.empty())
    add("replayed", replay_words(report, reversed));
  return lines;
}

}  // namespace spillway
