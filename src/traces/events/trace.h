// A measured run as events with times: what every importer of traces returns, whatever wrote the file.
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

// The first four compute one stage on one microbatch. A transfer has two sides, each on its own rank: forward
// ones carry activations from stage s to s + 1, backward ones gradients from s to s - 1; `stage` is that of
// the side's own rank. Kernel and Host belong to no pass by themselves: what a device ran, what its host did.
enum class TraceKind : std::uint8_t {
  Forward,
  Backward,
  BackwardInput,
  BackwardWeight,
  SendForward,
  ReceiveForward,
  SendBackward,
  ReceiveBackward,
  Collective,  // among replicas, or inside a stage; `name` says which
  Kernel,
  Annotation,  // a named range without work of its own: a layer, a phase
  Host         // the optimizer's host time, garbage collection, ...
};

std::string_view to_string(TraceKind kind);
bool is_compute(TraceKind kind);
bool is_transfer(TraceKind kind);

// What an event does, in PyTorch's words for it: the stage, what is done, the microbatch.
// [kind] "2F0" is the forward of microbatch 0 in stage 2, "2SEND_F0" sends what it made, "2W" the second half
// of the backward of a microbatch that is not known. The kinds beyond have no such word.
inline constexpr std::array<std::string_view, 9> kTraceActions = {
    "F", "B", "I", "W", "SEND_F", "RECV_F", "SEND_B", "RECV_B", "COLLECTIVE"};

inline bool has_action(TraceKind kind) {
  return static_cast<std::size_t>(kind) < kTraceActions.size();
}

inline constexpr std::uint32_t kUnknown = std::numeric_limits<std::uint32_t>::max();

// 40 bytes, because there may be 10^7 of them.
struct TraceEvent {
  Seconds start;             // on the clock of its rank, from Trace::origin
  Seconds duration;          // at least 0
  std::uint32_t step;        // index into Trace::steps
  std::uint32_t microbatch;  // from 0; kUnknown where the file does not say
  std::uint32_t name;        // index into Trace::names: what the file calls it
  std::uint16_t replica;     // data-parallel
  std::uint16_t rank;        // of the pipeline
  std::uint16_t stage;       // of the model, input first; the rank where each rank holds one
  std::uint8_t stream;       // of the device; 0 where there is but one
  TraceKind kind;

  Seconds end() const { return start + duration; }

  friend bool operator==(const TraceEvent&, const TraceEvent&) = default;
};

struct Trace {
  std::string format;              // "straggler-analysis", "megatron", "kineto", ...
  std::vector<std::string> files;  // read, in order
  double origin_s = 0;             // what the file's clock said at start 0
  std::vector<std::string> steps;  // as the file names them, ascending
  std::vector<std::string> names;
  std::vector<TraceEvent> events;  // by step, replica, rank, start, end, kind, stage, microbatch
  std::vector<Note> notes;
};

// Sorts the events as promised, drops exact duplicates, and says so in the notes. Every importer ends with
// it.
void normalise(Trace& trace);

// Orders Trace::steps, numbers by value and before other texts, and renumbers the events' steps. To be called
// before normalise.
void order_steps(Trace& trace);

// Keeps the events of these steps alone, and says so in the notes. Throws InputError, `--step` named, for
// each step that the trace does not have.
void keep_steps(Trace& trace, const std::vector<std::string>& steps);

}  // namespace spillway
