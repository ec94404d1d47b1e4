// Reads the events of one device from an Ascend profiler's folders, in order of time, and finds what each
// kernel indicates. Private to src/traces.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "traces/ascend/ascend_ranks.h"
#include "traces/files/name_index.h"
#include "traces/files/note.h"

namespace spillway {

// A kernel's name and type indicate the pass that it is in. Matrix: products and attention, which only layers
// have. Gradient: the name has "Grad" or "Backward". Seed: sets one value, as the derivative of a loss by
// itself does. Optimizer: "Apply..." of a parameter. PointToPoint has both directions, Send and Receive one.
enum class AscendSign : std::uint8_t {
  Plain,
  Matrix,
  Gradient,
  Seed,
  Optimizer,
  Collective,
  PointToPoint,
  Send,
  Receive
};

bool is_point_to_point(AscendSign sign);
bool is_communication(AscendSign sign);

struct AscendItem {
  std::int64_t start_ns;
  std::int64_t end_ns;
  std::uint32_t step;  // index into AscendNaming::steps
  std::uint32_t name;  // index into AscendNaming::names
  std::uint8_t stream;
  AscendSign sign;
};

struct AscendTimeline {
  AscendRank rank;
  bool has_kernels;               // otherwise only communication.json is there
  std::vector<AscendItem> items;  // by step number, then start
};

struct AscendNaming {
  NameIndex names;
  NameIndex steps;
};

// Adds the paths that it read to `files`, and dropped rows and missing files to `notes`. Throws InputError if
// a file is broken.
AscendTimeline ascend_timeline(const AscendRank& rank, AscendNaming& naming, std::vector<std::string>& files,
                               std::vector<Note>& notes);

}  // namespace spillway
