#include "laws.h"

#include <array>
#include <cmath>

#include "law_list.h"

namespace spillway::testing {
namespace {

constexpr double kRounding = 1e-9;

constexpr std::array kLaws = {
    Law{"engines-agree", "longest path = (max,+)", engines_agree},
    Law{"simgrid-not-earlier", "SimGrid >= longest path", simgrid_is_never_earlier},
    Law{"nothing-shared", "SimGrid = longest path where durations are given",
        nothing_shared_is_replayed_alike},
    Law{"rows-sum",
        "a rank's busy time and causes of bubble, and the parts of the critical path, are the makespan",
        rows_sum_to_the_makespan},
    Law{"idle", "a rank idles for no less than no time, and for no more than its bubble",
        no_rank_idles_less_than_not_at_all},
    Law{"lower-bound", "no step is shorter than its busiest rank or than any microbatch's way through it",
        no_step_beats_its_bound},
    Law{"operators-sum", "the operators listed are what the ranks compute, where nothing else takes time",
        operators_are_all_that_ranks_compute},
    Law{"point-is-run", "a point of a sweep = the run, to the bit", a_point_is_a_run},
    Law{"print-read", "run(print(experiment)) = run(experiment), whatever the order of keys",
        printed_and_read_again},
    Law{"jobs", "the same bytes from one thread and from two", threads_change_nothing},
    Law{"draws-apart", "a draw's figures are the same however many draws there are", a_draw_knows_no_other},
    Law{"planning", "a step waits for what its plan takes beyond the step before", a_step_waits_for_its_plan},
    Law{"company",
        "a schedule's figures do not depend on which schedules stand beside it, nor on their order",
        schedules_know_no_company},
    Law{"point-alone", "a point of a sweep = its experiment alone, to the bit", a_sweeps_point_stands_alone},
    Law{"second-run", "a second run in one process = the first, to the bit", a_second_run_is_the_first},
    Law{"time-unit", "twice every duration, twice the step, to the bit", time_has_no_unit},
    Law{"split-block", "a block = two blocks of its layers, one after the other", a_block_is_its_halves},
    Law{"names", "what blocks are called changes no figure", names_say_nothing},
    Law{"replica-order", "replicas in another order, the same step", replicas_have_no_order},
    Law{"slower", "less bandwidth, more latency or a lower peak makes no step of the same order shorter",
        slower_is_never_faster},
    Law{"samples-stay", "samples move among those alone whom their system lets share",
        samples_stay_in_their_groups},
    Law{"images-kept", "every image drawn is encoded, or counted as dropped by a limit that was stated",
        images_are_encoded_or_counted},
    Law{"documents", "texts of one length packed into a sequence = as many sequences of that length",
        documents_are_sequences},
};

}  // namespace

std::span<const Law> laws() {
  return kLaws;
}

const Evaluation& Case::evaluation() const {
  if (!evaluation_)
    evaluation_ = evaluate(job_.experiment, {.run = {Engine::LongestPath, Engine::MaxPlus, Engine::SimGrid}});
  return *evaluation_;
}

const PointOutcome& Case::outcome() const {
  if (!outcome_) outcome_ = outcome_of(job_.experiment);
  return *outcome_;
}

PointOutcome outcome_of(const Experiment& experiment) {
  Caches caches;
  return evaluate_point(experiment, caches);
}

bool equal(Seconds a, Seconds b) {
  return std::abs((a - b).value()) <= kRounding * std::max(std::abs(a.value()), std::abs(b.value()));
}

std::string text(Seconds time) {
  std::array<char, 32> digits;
  std::snprintf(digits.data(), digits.size(), "%.12g s", time.value());
  return digits.data();
}

Verdict same_makespans(const PointOutcome& first, const PointOutcome& second, Held held, double times) {
  for (std::size_t s = 0; s < first.schedules.size(); ++s) {
    for (std::size_t draw = 0; draw < first.schedules[s].makespans.size(); ++draw) {
      const Seconds due = times * first.schedules[s].makespans[draw];
      const Seconds is = second.schedules[s].makespans[draw];
      if (held == Held::Exactly ? due == is : equal(due, is)) continue;
      return broken(first.schedules[s].name + ", draw " + std::to_string(draw) + ": " + text(is) + " for " +
                    text(due));
    }
  }
  return kHolds;
}

}  // namespace spillway::testing
