#include "traces/profile/step_marks.h"

#include <algorithm>
#include <map>

#include "base/error.h"

namespace spillway {
namespace {

StepMarks from_numbered(std::vector<NumberedRange> ranges, const std::string& prefix, Inferred inference,
                        const std::string& file) {
  std::ranges::stable_sort(ranges, {}, &NumberedRange::start);
  StepMarks marks{{}, std::move(inference)};
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const NumberedRange& one = ranges[i];
    if (i > 0 && one.number == ranges[i - 1].number) continue;
    if (i > 0 && one.number < ranges[i - 1].number)
      throw InputError({{file, "/traceEvents", "steps whose numbers ascend with the time",
                         prefix + std::to_string(one.number) + " after " + prefix +
                             std::to_string(ranges[i - 1].number) + ": a clock ran backwards"}});
    marks.steps.push_back({std::to_string(one.number), one.start, one.end - one.start});
  }
  marks.inference.found = std::to_string(marks.steps.size());
  return marks;
}

// Returns the ranges of the prefix with the most numbers, which ascend one by one.
std::vector<NumberedRange> best_marks(const std::vector<NumberedRange>& marks) {
  std::map<std::uint32_t, std::vector<NumberedRange>> by_prefix;
  for (const NumberedRange& mark : marks) by_prefix[mark.prefix].push_back(mark);
  std::vector<NumberedRange> best;
  for (auto& [prefix, ranges] : by_prefix) {
    std::ranges::stable_sort(ranges, {}, &NumberedRange::start);
    bool consecutive = ranges.size() > 1;
    for (std::size_t i = 1; i < ranges.size(); ++i)
      consecutive =
          consecutive && ranges[i].number == ranges[i - 1].number + 1 && ranges[i].start >= ranges[i - 1].end;
    if (consecutive && ranges.size() > best.size()) best = ranges;
  }
  return best;
}

struct Issued {
  Seconds at;
  PassPhase phase;
};

// A step ends with the last of an optimizer's ranges before the next backward. `optimizer`: sorted by time.
StepMarks between_optimizers(const std::vector<Issued>& all, Inferred inference) {
  StepMarks marks{{}, std::move(inference)};
  bool ended = false;
  for (const Issued& one : all) {
    if (marks.steps.empty() || (ended && one.phase == PassPhase::Forward))
      marks.steps.push_back({std::to_string(marks.steps.size()), one.at, std::nullopt});
    ended = one.phase == PassPhase::Optimizer || (ended && one.phase != PassPhase::Forward);
  }
  if (!ended && marks.steps.size() > 1) marks.steps.pop_back();  // the rest of the file is no whole step
  marks.inference.found = std::to_string(marks.steps.size());
  return marks;
}

std::vector<Issued> issued_work(const ProcessEvents& events) {
  std::vector<Issued> all;
  for (const DeviceWork& work : events.work)
    if (work.phase != PassPhase::Unknown && work.kind == WorkKind::Computing)
      all.push_back({work.issued(), work.phase});
  return all;
}

}  // namespace

StepMarks step_marks(const ProcessEvents& events, const std::string& file) {
  if (!events.steps.empty())
    return from_numbered(events.steps, "ProfilerStep#",
                         {"steps", "", "ranges ProfilerStep", Confidence::Stated}, file);
  const std::vector<NumberedRange> marks = best_marks(events.marks);
  if (!marks.empty()) {
    const std::string& prefix = events.names[marks.front().prefix];
    return from_numbered(marks, prefix, {"steps", "", "ranges named " + prefix + "N", Confidence::Likely},
                         file);
  }
  const bool any = std::ranges::any_of(
      events.work, [](const DeviceWork& work) { return work.phase == PassPhase::Optimizer; });
  if (!any)
    return {{},
            {"steps", "none", "no ProfilerStep, no numbered range and no optimizer", Confidence::Missing}};
  const bool ranges = !events.optimizer.empty();
  return between_optimizers(
      issued_work(events),
      {"steps", "", ranges ? "each ends with its Optimizer.step" : "each ends with an optimizer's kernels",
       ranges ? Confidence::Likely : Confidence::Guessed});
}

}  // namespace spillway
