// The events of one file of a PyTorch profile, before its rank is known. Private to src/traces.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "traces/events/trace_builder.h"
#include "traces/files/json_events.h"
#include "traces/formats/kineto_names.h"

namespace spillway {

// The args of a kernel that may name its pass. Kernels of CUDA graphs have them (torchtitan).
inline constexpr std::array<std::string_view, 2> kNamesOfPasses = {"name", "annotation"};

class KinetoFile {
 public:
  explicit KinetoFile(TraceBuilder& trace) : trace_(trace), first_(trace.events().size()) {}

  // Requires the arguments kNamesOfPasses.
  void take(const JsonEvent& event);

  // Call it after the last event. It chooses between host and device ranges, joins the device's, and gives
  // the events their step, as the file numbers it.
  void finish();

 private:
  // Ranges are kept apart until it is known whether the device has any.
  struct Ranges {
    std::vector<TraceEvent> pipeline;
    std::vector<TraceEvent> steps;  // `microbatch` is the step's number
    std::size_t first_event = 0;
  };

  void take_range(const JsonEvent& event, Ranges& ranges);
  void take_name_of_pass(const JsonEvent& event);
  void choose_ranges();
  void tell_halves_of_backwards(std::vector<TraceEvent>& ranges) const;
  void assign_steps();
  void number_by_repeats();

  TraceBuilder& trace_;
  std::size_t first_;  // index of this file's first event in the trace
  Ranges host_;
  Ranges device_;
  std::vector<TraceEvent> kernels_;  // one for each kernel whose args name a pass
  std::size_t overlapped_ = 0;
  std::string text_;  // a member, to reuse its memory for each dropped event
};

}  // namespace spillway
