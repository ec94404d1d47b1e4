// The events of one file of a PyTorch profile, before it is known which rank it is of. Private to
// src/traces.
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

// What args of a kernel may name its pass, as those of kernels in CUDA graphs do (torchtitan).
inline constexpr std::array<std::string_view, 2> kNamesOfPasses = {"name", "annotation"};

class KinetoFile {
 public:
  explicit KinetoFile(TraceBuilder& trace) : trace_(trace), first_(trace.events().size()) {}

  // Its arguments are kNamesOfPasses.
  void take(const JsonEvent& event);

  // After the last event: chooses between host and device ranges, joins the latter, and gives the events
  // their step, as the file numbers it.
  void finish();

 private:
  // Ranges wait apart until it is known whether the device's exist.
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
  std::size_t first_;  // of the trace's events that is this file's
  Ranges host_;
  Ranges device_;
  std::vector<TraceEvent> kernels_;  // as passes, by what their args name
  std::size_t overlapped_ = 0;
  std::string text_;  // kept, because it is written for each event that is dropped
};

}  // namespace spillway
