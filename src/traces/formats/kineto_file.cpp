#include "traces/formats/kineto_file.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "traces/formats/pass_repeats.h"

namespace spillway {
namespace {

auto range_key(const TraceEvent& range) {
  return std::make_tuple(range.kind, range.stage, range.microbatch, range.start, range.end());
}

bool same_range(const TraceEvent& a, const TraceEvent& b) {
  return a.kind == b.kind && a.stage == b.stage && a.microbatch == b.microbatch;
}

// A range of the program appears on every stream that it used. These become one range.
std::vector<TraceEvent> joined(std::vector<TraceEvent> ranges) {
  std::sort(ranges.begin(), ranges.end(),
            [](const TraceEvent& a, const TraceEvent& b) { return range_key(a) < range_key(b); });
  std::vector<TraceEvent> all;
  for (const TraceEvent& range : ranges) {
    const bool same = !all.empty() && same_range(all.back(), range) && range.start <= all.back().end();
    if (!same)
      all.push_back(range);
    else
      all.back().duration = std::max(all.back().end(), range.end()) - all.back().start;
  }
  return all;
}

using PassKey = std::tuple<TraceKind, std::uint16_t, std::uint32_t>;

PassKey key_of(const TraceEvent& event) {
  return {event.kind, event.stage, event.microbatch};
}

// Keeps passes in the order in which they last occurred.
class Recent {
 public:
  // Returns how many other passes occurred since this one, and makes it the latest.
  std::size_t others_since(const PassKey& key) {
    const auto seen = std::find(keys_.rbegin(), keys_.rend(), key);
    const auto others = static_cast<std::size_t>(seen - keys_.rbegin());
    if (seen != keys_.rend()) keys_.erase(std::prev(seen.base()));
    keys_.push_back(key);
    return others;
  }

 private:
  std::vector<PassKey> keys_;
};

// Makes passes from kernels that each name theirs, as those of CUDA graphs do.
//
// A pass lasts from the first start to the last end of its kernels. If its name returns after at least half
// of all other passes occurred, it belongs to the next step.
//
// Example of the passes F0 F1 B0 B1: in F0 F1 F0 B0 B1 F0 the second F0 belongs to the first pass, because
// one other pass came between. The third F0 belongs to the next step.
//
// `kernels`: kind, stage, microbatch, start and duration are read. The other members are the first kernel's.
std::vector<TraceEvent> ranges_of_kernels(std::vector<TraceEvent> kernels) {
  std::ranges::stable_sort(kernels, {}, &TraceEvent::start);
  std::set<PassKey> all;
  for (const TraceEvent& kernel : kernels) all.insert(key_of(kernel));
  std::vector<TraceEvent> ranges;
  std::map<PassKey, std::size_t> open;  // index into ranges
  Recent recent;
  for (const TraceEvent& kernel : kernels) {
    const std::size_t others = recent.others_since(key_of(kernel));
    const auto known = open.find(key_of(kernel));
    const bool again = known != open.end() && all.size() > 1 && 2 * others >= all.size();
    if (known == open.end() || again) {
      open[key_of(kernel)] = ranges.size();
      ranges.push_back(kernel);
      continue;
    }
    TraceEvent& range = ranges[known->second];
    range.duration = std::max(range.end(), kernel.end()) - range.start;
  }
  return ranges;
}

}  // namespace

void KinetoFile::take(const JsonEvent& event) {
  if (event.phase == 'M') return;
  if (event.phase == 's' || event.phase == 't' || event.phase == 'f')
    return trace_.drop("flow events", event.number);
  if (event.phase != 'X') return trace_.drop("events other than complete ones (ph is not X)", event.number);
  if (event.category == "user_annotation") return take_range(event, host_);
  if (event.category == "gpu_user_annotation") return take_range(event, device_);
  if (!is_device_work(event.category)) {
    text_.assign("events of category ").append(event.category);
    return trace_.drop(text_, event.number);
  }
  TraceEvent what{};
  what.kind = is_communication_kernel(event.name) ? TraceKind::Collective : TraceKind::Kernel;
  what.microbatch = kUnknown;
  what.stream = trace_.stream(event.thread);
  if (trace_.add(event, what)) take_name_of_pass(event);
}

void KinetoFile::take_name_of_pass(const JsonEvent& event) {
  for (const std::string& argument : event.arguments) {
    const auto range = pipeline_range(argument);
    if (!range) continue;
    TraceEvent kernel = trace_.events().back();
    kernel.kind = range->kind;
    kernel.stage = range->stage;
    kernel.microbatch = range->microbatch;
    kernel.name = trace_.name(argument);
    return kernels_.push_back(kernel);
  }
}

void KinetoFile::take_range(const JsonEvent& event, Ranges& ranges) {
  const auto range = pipeline_range(event.name);
  const auto step = profiler_step(event.name);
  TraceEvent what{};
  what.kind = range ? range->kind : TraceKind::Annotation;
  what.stage = range ? range->stage : std::uint16_t{0};
  what.microbatch = range ? range->microbatch : kUnknown;
  if (&ranges == &device_) what.stream = trace_.stream(event.thread);
  if (!trace_.add(event, what)) return;
  if (is_overlapped_range(event.name)) ++overlapped_;
  if (step) {
    ranges.steps.push_back(trace_.events().back());
    ranges.steps.back().microbatch = *step;
  }
  if (!range) return;
  if (ranges.pipeline.empty()) ranges.first_event = event.number;
  ranges.pipeline.push_back(trace_.events().back());
  trace_.events().pop_back();
}

void KinetoFile::finish() {
  choose_ranges();
  assign_steps();
  if (overlapped_ > 0)
    trace_.note(NoteKind::Read, overlapped_,
                "ranges of a forward and a backward together, kept as annotations");
}

void KinetoFile::choose_ranges() {
  if (device_.pipeline.empty() && !kernels_.empty()) {
    trace_.note(NoteKind::Read, kernels_.size(), "kernels whose args name their pass");
    device_.pipeline = ranges_of_kernels(std::move(kernels_));
  }
  const bool device = !device_.pipeline.empty();
  if (device)
    for (std::size_t i = 0; i < host_.pipeline.size(); ++i)
      trace_.drop("ranges of the host's pipeline, since the device's are present", host_.first_event);
  else if (!host_.pipeline.empty())
    trace_.note(NoteKind::Guessed, host_.pipeline.size(),
                "ranges of the pipeline with the host's times, since the file has none of the device");
  std::vector<TraceEvent> chosen = device ? joined(device_.pipeline) : host_.pipeline;
  tell_halves_of_backwards(chosen);
  if (device && chosen.size() < device_.pipeline.size())
    trace_.note(NoteKind::Corrected, device_.pipeline.size() - chosen.size(),
                "ranges of the pipeline, joined with the same range on another stream");
  trace_.events().insert(trace_.events().end(), chosen.begin(), chosen.end());
}

// If weights have passes of their own and no pass is named I, the names are those of PyTorch 2.5. There, B is
// the half for the input and BW the whole backward.
void KinetoFile::tell_halves_of_backwards(std::vector<TraceEvent>& ranges) const {
  const auto has = [&](TraceKind kind) {
    return std::ranges::find(ranges, kind, &TraceEvent::kind) != ranges.end();
  };
  if (!has(TraceKind::BackwardWeight) || has(TraceKind::BackwardInput)) return;
  for (TraceEvent& event : ranges)
    if (event.kind == TraceKind::Backward && trace_.names()[event.name].find("BW") == std::string::npos)
      event.kind = TraceKind::BackwardInput;
}

void KinetoFile::number_by_repeats() {
  const std::uint32_t steps = number_repeats(std::span(trace_.events()).subspan(first_));
  if (steps > 1)
    trace_.note(NoteKind::Guessed, steps, "steps without ProfilerStep: a repeated pass begins the next step");
}

void KinetoFile::assign_steps() {
  std::vector<TraceEvent>& steps = device_.steps.empty() ? host_.steps : device_.steps;
  if (steps.empty()) return number_by_repeats();
  std::sort(steps.begin(), steps.end(),
            [](const TraceEvent& a, const TraceEvent& b) { return a.start < b.start; });
  std::size_t early = 0;
  for (std::size_t i = first_; i < trace_.events().size(); ++i) {
    TraceEvent& event = trace_.events()[i];
    auto next = std::upper_bound(steps.begin(), steps.end(), event.start,
                                 [](Seconds at, const TraceEvent& step) { return at < step.start; });
    if (next == steps.begin()) ++next, ++early;
    event.step = std::prev(next)->microbatch;
  }
  if (early > 0)
    trace_.note(NoteKind::Guessed, early, "events before the first ProfilerStep, counted in its step");
}

}  // namespace spillway
