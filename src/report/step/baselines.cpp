#include "report/step/baselines.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "evaluate/steps.h"
#include "words/spread.h"
#include "words/wording.h"

namespace spillway {
namespace {

std::vector<const ScheduleResult*> with_one_beside(const Evaluation& evaluation) {
  std::vector<const ScheduleResult*> all;
  for (const ScheduleResult& schedule : evaluation.schedules)
    if (schedule.beside) all.push_back(&schedule);
  return all;
}

// "mpipe 1.053x, other 1.100x"
template <class ReferenceOf>
std::string speedups(const std::vector<const ScheduleResult*>& transposed, ReferenceOf reference_of) {
  std::string text;
  for (const ScheduleResult* schedule : transposed) {
    const double mean = spread(speedups_over(reference_of(*schedule), *schedule)).mean;
    text += fmt::format("{}{} {:.3f}x", text.empty() ? "" : ", ", schedule->name, mean);
  }
  return text;
}

std::string what_was_added(const Evaluation& evaluation, std::size_t columns) {
  if (evaluation.references.empty()) return {};
  const bool moved = evaluation.references.front().terms.moves_samples;
  return wrapped("  [...]: ",
                 std::string("not in the experiment, added for comparison: the body's skeleton over the "
                             "whole model, with nothing transposed and layers split by time") +
                     (moved ? ", and samples moved among replicas" : ""),
                 columns);
}

}  // namespace

std::string added_name(const ScheduleResult& reference) {
  return '[' + reference.name + ']';
}

std::string shown_name(const Evaluation& evaluation, const ScheduleResult& schedule) {
  const bool added = std::any_of(evaluation.references.begin(), evaluation.references.end(),
                                 [&](const ScheduleResult& reference) { return &reference == &schedule; });
  return added ? added_name(schedule) : schedule.name;
}

std::string baselines_text(const Evaluation& evaluation, std::size_t columns) {
  const std::vector<const ScheduleResult*> transposed = with_one_beside(evaluation);
  if (transposed.empty()) return {};
  const ScheduleResult* plain = fastest_plain(evaluation);
  const auto beside = [&](const ScheduleResult& s) -> const ScheduleResult& {
    return evaluation.at(*s.beside);
  };
  const auto fastest = [&](const ScheduleResult&) -> const ScheduleResult& { return *plain; };
  const bool is_beside_all =
      plain && std::all_of(transposed.begin(), transposed.end(), [&](const ScheduleResult* s) {
        return mean_makespan(beside(*s)) == mean_makespan(*plain);
      });
  std::string text = what_was_added(evaluation, columns);
  if (!is_beside_all)
    text += wrapped(
        "  ", "speedup over a balanced pipeline of the same body: " + speedups(transposed, beside), columns);
  if (!plain) return text + wrapped("  ", "no plain pipeline fits", columns);
  return text + wrapped("  ",
                        "speedup over " + shown_name(evaluation, *plain) +
                            ", the fastest plain pipeline: " + speedups(transposed, fastest),
                        columns);
}

}  // namespace spillway
