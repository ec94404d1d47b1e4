#include "traces/profile/rank_profile.h"

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "traces/profile/launch_phases.h"
#include "traces/profile/repeated_layers.h"
#include "traces/profile/step_marks.h"

namespace spillway {
namespace rank_profiles {
namespace {

using Work = std::span<const DeviceWork>;

// Where the clocks of host and device agree, no work starts before its launch. A file in which nearly all
// does has clocks that cannot be compared.
constexpr double kTooEarly = 0.9;

void require_sense(const ProcessEvents& events) {
  const std::string& file = events.process.file;
  if (events.work.empty())
    throw InputError({{file, "/traceEvents", "kernels of a device, or operators of the host", "neither"}});
  const std::size_t linked = events.work.size() - events.unlinked;
  if (!events.of_the_host && linked > 0 &&
      static_cast<double>(events.early) > kTooEarly * static_cast<double>(linked))
    throw InputError({{file, "/traceEvents", "work of the device that begins after its launch",
                       std::to_string(events.early) + " of " + std::to_string(linked) +
                           " pieces that begin before it: the clocks of host and device disagree"}});
}

// The work of each step, between the marks.
std::vector<Work> work_by_step(const ProcessEvents& events, const std::vector<StepMark>& marks) {
  const Work all(events.work);
  const auto first_of = [&](const StepMark& mark) {
    return static_cast<std::size_t>(std::ranges::lower_bound(all, mark.start, {}, &DeviceWork::issued) -
                                    all.begin());
  };
  std::vector<Work> steps;
  for (std::size_t i = 0; i < marks.size(); ++i) {
    const std::size_t first = first_of(marks[i]);
    const std::size_t end = i + 1 < marks.size() ? first_of(marks[i + 1]) : all.size();
    steps.push_back(all.subspan(first, end - first));
  }
  return steps;
}

// From the first start of the step's work to the first of the next step's, or to the last end.
std::vector<Interval> windows_of(const std::vector<Work>& steps, const Interval& whole) {
  std::vector<Interval> windows(steps.size(), Interval{whole.end, whole.end});
  Seconds next = whole.end;
  for (std::size_t i = steps.size(); i-- > 0;) {
    Seconds first = next;
    for (const DeviceWork& work : steps[i]) first = std::min(first, work.start);
    windows[i] = {first, next};
    next = first;
  }
  return windows;
}

std::vector<ProfiledStep> steps_of(const std::vector<StepMark>& marks, const std::vector<Work>& work,
                                   const DeviceTimes& device) {
  const std::vector<Interval> windows = windows_of(work, device.whole());
  std::vector<ProfiledStep> steps;
  for (std::size_t i = 0; i < marks.size(); ++i) {
    const bool last = i + 1 == marks.size();
    const Seconds to_the_end = marks[i].length.value_or(device.whole().end - marks[i].start);
    ProfiledStep step{marks[i].name,
                      last ? to_the_end : marks[i + 1].start - marks[i].start,
                      !last || marks[i].length.has_value(),
                      device.in(windows[i]),
                      {}};
    for (const PassOfWork& pass : work_passes(work[i])) step.passes.push_back(pass.pass);
    steps.push_back(std::move(step));
  }
  return steps;
}

// Runs that compute for less are chance: kernels of an optimizer or of a loss repeat, too.
constexpr double kSmallestRun = 0.05;

std::vector<ProfiledLayers> layers_of(const PassOfWork& pass) {
  std::vector<std::uint32_t> names;
  for (const DeviceWork* one : pass.work) names.push_back(one->name);
  std::vector<ProfiledLayers> layers;
  for (const EqualLayers& run : repeated_layers(names)) {
    Seconds busy;
    for (std::size_t i = 0; i < run.kernels(); ++i) busy += pass.work[run.first + i]->duration();
    const double share = std::min(1.0, busy / pass.pass.busy);
    if (share >= kSmallestRun)
      layers.push_back(
          {pass.pass.direction, run.layers, run.period, busy / static_cast<double>(run.layers), share});
  }
  return layers;
}

// Without a backward, all computing is one pass of unknown direction.
PassOfWork whole_pass(Work work) {
  PassOfWork pass{{0, PassPhase::Unknown, Seconds(), Seconds(), Seconds(), 0}, {}};
  for (const DeviceWork& one : work)
    if (one.kind == WorkKind::Computing) {
      pass.work.push_back(&one);
      pass.pass.busy += one.duration();
    }
  return pass;
}

std::vector<ProfiledLayers> layers_of(Work work) {
  const std::vector<PassOfWork> passes = work_passes(work);
  std::vector<ProfiledLayers> all;
  for (const PassPhase direction : {PassPhase::Forward, PassPhase::Backward}) {
    const auto pass =
        std::ranges::find_if(passes, [&](const PassOfWork& p) { return p.pass.direction == direction; });
    if (pass == passes.end()) continue;
    for (ProfiledLayers& layers : layers_of(*pass)) all.push_back(layers);
  }
  const PassOfWork whole = whole_pass(work);
  return passes.empty() && !whole.work.empty() ? layers_of(whole) : all;
}

std::size_t layers_in(const std::vector<ProfiledLayers>& layers, PassPhase direction) {
  std::size_t count = 0;
  for (const ProfiledLayers& one : layers) count += one.direction == direction ? one.layers : 0;
  return count;
}

// A backward that repeats as often as its forward makes a coincidence unlikely.
Inferred about_layers(const std::vector<ProfiledLayers>& layers) {
  if (layers.empty())
    return {"layers", "none", "no sequence of kernels repeats three times", Confidence::Missing};
  const std::size_t forward = layers_in(layers, PassPhase::Forward);
  const std::size_t backward = layers_in(layers, PassPhase::Backward);
  const std::size_t any = std::max({forward, backward, layers_in(layers, PassPhase::Unknown)});
  const bool both = forward > 0 && forward == backward;
  return {
      "layers", std::to_string(any),
      both ? "the same kernels repeat as often in the forward as in the backward" : "the same kernels repeat",
      both ? Confidence::Likely : Confidence::Guessed};
}

Work of_the_last_whole(const std::vector<ProfiledStep>& steps, const std::vector<Work>& work, Work all) {
  for (std::size_t i = steps.size(); i-- > 0;)
    if (steps[i].whole && !work[i].empty()) return work[i];
  return all;
}

Inferred about_launches(const ProcessEvents& events) {
  const std::size_t linked = events.work.size() - events.unlinked;
  const std::string found = std::to_string(linked) + " of " + std::to_string(events.work.size());
  if (events.of_the_host)
    return {"launches", "none", "no device: the host's outermost operators are the work",
            Confidence::Missing};
  if (linked == 0)
    return {"launches", found, "no correlation, so no idle time is known to be the host's",
            Confidence::Missing};
  return {"launches", found, "correlation of kernels with calls of the runtime", Confidence::Stated};
}

}  // namespace
}  // namespace rank_profiles

ProfiledRank rank_profile(ProcessEvents& events) {
  using namespace rank_profiles;
  require_sense(events);
  std::vector<Inferred> inferences = set_phases(events);
  StepMarks marks = step_marks(events, events.process.file);
  const DeviceTimes device(events);
  const std::vector<Work> work = work_by_step(events, marks.steps);
  std::vector<ProfiledStep> steps = steps_of(marks.steps, work, device);
  std::vector<ProfiledLayers> layers = layers_of(of_the_last_whole(steps, work, events.work));
  inferences.insert(inferences.begin(), std::move(marks.inference));
  inferences.push_back(about_layers(layers));
  inferences.push_back(about_launches(events));
  return {0,
          events.process.file,
          events.device,
          events.of_the_host,
          device.in(device.whole()),
          std::move(steps),
          collective_uses(events),
          std::move(layers),
          std::move(inferences)};
}

}  // namespace spillway
