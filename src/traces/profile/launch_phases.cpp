#include "traces/profile/launch_phases.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/text.h"
#include "traces/events/union_of_intervals.h"
#include "traces/profile/torch_names.h"

namespace spillway {
namespace {

// Ranges by their thread, joined where they overlap.
class RangesByThread {
 public:
  explicit RangesByThread(const std::vector<HostRange>& ranges) {
    for (const HostRange& range : ranges) by_thread_[range.thread].push_back({range.start, range.end});
    for (auto& [thread, intervals] : by_thread_) intervals = union_of(std::move(intervals));
  }

  bool holds(std::uint32_t thread, Seconds at) const {
    const auto own = by_thread_.find(thread);
    if (own == by_thread_.end()) return false;
    const auto next = std::ranges::upper_bound(own->second, at, {}, &Interval::start);
    return next != own->second.begin() && at <= std::prev(next)->end;
  }

  std::set<std::uint32_t> threads() const {
    std::set<std::uint32_t> all;
    for (const auto& [thread, intervals] : by_thread_) all.insert(thread);
    return all;
  }

 private:
  std::map<std::uint32_t, std::vector<Interval>> by_thread_;
};

// The threads that run autograd's engine and neither begin steps nor run an optimizer.
std::set<std::uint32_t> engine_threads(const ProcessEvents& events, const RangesByThread& backward) {
  std::set<std::uint32_t> threads = backward.threads();
  for (const NumberedRange& step : events.steps) threads.erase(step.thread);
  for (const NumberedRange& mark : events.marks) threads.erase(mark.thread);
  for (const HostRange& range : events.optimizer) threads.erase(range.thread);
  if (events.steps.empty() && events.marks.empty() && events.optimizer.empty()) threads.clear();
  return threads;
}

std::size_t count_of(const ProcessEvents& events, PassPhase phase) {
  return static_cast<std::size_t>(std::ranges::count(events.work, phase, &DeviceWork::phase));
}

void set_by_ranges(ProcessEvents& events, const RangesByThread& backward) {
  const RangesByThread optimizer(events.optimizer);
  const std::set<std::uint32_t> engine = engine_threads(events, backward);
  for (DeviceWork& work : events.work) {
    if (!work.launch) continue;
    if (optimizer.holds(work.thread, *work.launch))
      work.phase = PassPhase::Optimizer;
    else if (engine.contains(work.thread) || backward.holds(work.thread, *work.launch))
      work.phase = PassPhase::Backward;
    else
      work.phase = PassPhase::Forward;
  }
}

// From the first kernel of an optimizer after a backward, until the next one that is none of it.
void set_optimizer_by_kernels(ProcessEvents& events) {
  std::vector<bool> known(events.names.size());
  for (std::size_t i = 0; i < known.size(); ++i) known[i] = is_optimizer_kernel(events.names[i]);
  bool after_backward = false;
  for (DeviceWork& work : events.work) {
    if (work.phase == PassPhase::Backward) after_backward = true;
    if (work.phase != PassPhase::Forward || work.kind != WorkKind::Computing) continue;
    if (after_backward && known[work.name])
      work.phase = PassPhase::Optimizer;
    else
      after_backward = false;
  }
}

Inferred about_backward(const ProcessEvents& events, bool by_engine) {
  const std::size_t found = count_of(events, PassPhase::Backward);
  const bool any = !events.autograd.empty() || !events.gradients.empty();
  if (!any) return {"backward", "none", "no range of autograd's engine", Confidence::Missing};
  if (found == 0)
    return {"backward", "none", "ranges of a backward, which launched nothing", Confidence::Missing};
  const std::string how = by_engine ? "launched in ranges of autograd's engine or on its thread"
                                    : "launched in operators that state a forward thread";
  return {"backward", counted(found, "kernel"), how, by_engine ? Confidence::Likely : Confidence::Guessed};
}

Inferred about_optimizer(const ProcessEvents& events) {
  const std::size_t found = count_of(events, PassPhase::Optimizer);
  const std::string kernels = counted(found, "kernel");
  if (!events.optimizer.empty())
    return {"optimizer", kernels, "launched in ranges Optimizer.step", Confidence::Stated};
  if (found > 0)
    return {"optimizer", kernels, "kernels that only optimizers launch, after a backward",
            Confidence::Guessed};
  return {"optimizer", "none", "no range Optimizer.step and no kernel of one", Confidence::Missing};
}

}  // namespace

std::vector<Inferred> set_phases(ProcessEvents& events) {
  const bool by_engine = !events.autograd.empty();
  const RangesByThread backward(by_engine ? events.autograd : events.gradients);
  const bool any = by_engine || !events.gradients.empty() || !events.optimizer.empty();
  if (any) set_by_ranges(events, backward);
  if (any && events.optimizer.empty()) set_optimizer_by_kernels(events);
  return {about_backward(events, by_engine), about_optimizer(events)};
}

}  // namespace spillway
