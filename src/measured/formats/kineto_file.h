// The events of one file of a PyTorch profile, before it is known which rank it is of. Private to
// src/measured.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "measured/files/json_events.h"
#include "measured/formats/kineto_names.h"
#include "measured/trace/trace_builder.h"

namespace spillway {

class KinetoFile {
 public:
  explicit KinetoFile(TraceBuilder& trace) : trace_(trace), first_(trace.events().size()) {}

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
  void choose_ranges();
  void tell_halves_of_backwards(std::vector<TraceEvent>& ranges) const;
  void assign_steps();

  TraceBuilder& trace_;
  std::size_t first_;  // of the trace's events that is this file's
  Ranges host_;
  Ranges device_;
  std::size_t overlapped_ = 0;
  std::string text_;  // kept, because it is written for each event that is dropped
};

}  // namespace spillway
