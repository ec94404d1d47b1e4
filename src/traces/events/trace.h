// A measured run as events with times. Every importer of traces returns it, whatever program wrote the file.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/quantity.h"
#include "traces/files/note.h"

namespace spillway {

// The first four compute one stage on one microbatch. A transfer has two sides, each on its own rank. Forward
// transfers carry activations from stage s to s + 1, backward ones gradients from s to s - 1. `stage` is the
// stage of the side's own rank. Kernel (work of a device) and Host (work of its host) belong to no pass by
// themselves.
enum class TraceKind : std::uint8_t {
  Forward,
  Backward,
  BackwardInput,
  BackwardWeight,
  SendForward,
  ReceiveForward,
  SendBackward,
  ReceiveBackward,
  Collective,  // among replicas, or inside a stage, as `name` says
  Optimizer,   // of a stage, on its device: from reduced gradients to new parameters
  Kernel,
  Annotation,  // a named range without work of its own: a layer, a phase
  Host         // the optimizer's host time, garbage collection, ...
};

std::string_view to_string(TraceKind kind);
bool is_compute(TraceKind kind);
bool is_transfer(TraceKind kind);

// PyTorch's words for what an event does, by kind: stage, action, microbatch. "2F0" is the forward of
// microbatch 0 in stage 2. "2SEND_F0" sends its output. "2W" is the second half of the backward of an unknown
// microbatch. "2OPTIMIZER" is ours. Later kinds have no such word.
inline constexpr std::array<std::string_view, 10> kTraceActions = {
    "F", "B", "I", "W", "SEND_F", "RECV_F", "SEND_B", "RECV_B", "COLLECTIVE", "OPTIMIZER"};

inline bool has_action(TraceKind kind) {
  return static_cast<std::size_t>(kind) < kTraceActions.size();
}

inline constexpr std::uint32_t kUnknown = std::numeric_limits<std::uint32_t>::max();

// An event takes 40 bytes, because there may be 10^7 of them.
struct TraceEvent {
  Seconds start;             // on the clock of its rank, from Trace::origin
  Seconds duration;          // at least 0
  std::uint32_t step;        // index into Trace::steps
  std::uint32_t microbatch;  // from 0; kUnknown if the file does not say
  std::uint32_t name;        // index into Trace::names: its name in the file
  std::uint16_t replica;     // data-parallel
  std::uint16_t rank;        // of the pipeline
  std::uint16_t stage;       // of the model, input first; equals the rank if each rank holds one stage
  std::uint8_t stream;       // of the device; 0 if there is only one
  TraceKind kind;

  Seconds end() const { return start + duration; }

  friend bool operator==(const TraceEvent&, const TraceEvent&) = default;
};

struct Trace {
  std::string format;              // "straggler-analysis", "megatron", "kineto", ...
  std::vector<std::string> files;  // read, in order
  double origin_s = 0;             // the file's clock at start 0
  std::vector<std::string> steps;  // as the file names them, ascending
  std::vector<std::string> names;
  std::vector<TraceEvent> events;  // by step, replica, rank, start, end, kind, stage, microbatch
  std::vector<Note> notes;
  std::string schedule = {};  // by name, of which the events are; empty: the file names none
};

// Sorts the events as promised and drops exact duplicates; a note counts them. Every importer calls it last.
void normalise(Trace& trace);

// Orders Trace::steps, with numbers by value and before other texts, and renumbers the events' steps. Call it
// before normalise.
void order_steps(Trace& trace);

// Keeps only the events of these steps, and adds a note. Throws InputError that names `--step` for each step
// that the trace does not have.
void keep_steps(Trace& trace, const std::vector<std::string>& steps);

}  // namespace spillway
