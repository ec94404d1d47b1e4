// What one process of a PyTorch job did, as its profile says: the device's work with its launches, and the
// host's ranges that tell steps and passes apart. Private to src/traces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/quantity.h"
#include "traces/events/trace.h"
#include "traces/files/note.h"
#include "traces/formats/kineto_ranks.h"

namespace spillway {

enum class WorkKind : std::uint8_t { Computing, Communicating, Copying };
enum class PassPhase : std::uint8_t { Unknown, Forward, Backward, Optimizer };
std::string_view to_string(PassPhase phase);

// One kernel, copy or fill of the device. In a profile without a device, one outermost operator of the host.
struct DeviceWork {
  Seconds start;
  Seconds end;
  std::optional<Seconds> launch;  // the call of the host that launched it; empty if the file links none
  std::uint32_t thread;           // that launched it; kUnknown without a launch
  std::uint32_t name;             // index into ProcessEvents::names
  std::uint32_t message;          // index into ProcessEvents::messages; kUnknown unless it communicates
  WorkKind kind;
  PassPhase phase = PassPhase::Unknown;  // set by phases_of() (launch_phases.h)

  // Work belongs to where it was launched. Without a launch, its own start has to do.
  Seconds issued() const { return launch.value_or(start); }
  Seconds duration() const { return end - start; }
};

// A kind of message: what is sent, among how many, in which group.
struct MessageKind {
  std::string operation;  // collective_in()
  std::uint32_t devices;  // 0 if the file does not say
  std::string group;      // as the program describes it: "mesh_dp"; empty if it does not
  std::size_t sized = 0;  // messages that state their bytes
  double bytes = 0;       // of these, added up
};

// A range of the host.
struct HostRange {
  Seconds start;
  Seconds end;
  std::uint32_t thread;
};

struct NumberedRange : HostRange {
  std::uint32_t prefix;  // index into names
  std::uint32_t number;
};

struct ProcessEvents {
  KinetoProcess process;
  std::string device;              // its name in the file; may be empty
  std::vector<std::string> names;  // of work and ranges
  std::vector<DeviceWork> work;    // by issued(), then start
  bool of_the_host = false;        // `work` is of the host, because the file has no device
  std::vector<MessageKind> messages;
  std::vector<NumberedRange> steps;  // ProfilerStep#N
  std::vector<NumberedRange> marks;  // other ranges that number a step or an iteration
  std::vector<HostRange> autograd;   // ranges of autograd's engine
  std::vector<HostRange> gradients;  // operators with a forward thread, as those of a backward have
  std::vector<HostRange> optimizer;  // an optimizer's steps
  std::size_t unlinked = 0;          // work without a launch
  std::size_t early = 0;             // work that starts before its launch
  std::vector<Note> notes;
};

// Returns nothing if an annotation, or a kernel's args, name a pass of a pipeline: then read_kineto() reads
// it. Times count from the file's first event. Memory grows with work and ranges, not with the file. Throws
// InputError if the file is no JSON of trace events (the error names the offset).
std::optional<ProcessEvents> read_process(const std::string& path);

}  // namespace spillway
