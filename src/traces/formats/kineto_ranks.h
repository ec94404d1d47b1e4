// Which rank of the pipeline, and which replica, each file of a PyTorch job is of. Private to src/traces.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "traces/files/json_events.h"
#include "traces/files/note.h"

namespace spillway {

// What one file says of the process that wrote it.
struct KinetoProcess {
  std::string file;
  std::optional<std::uint16_t> world_rank;
  std::optional<std::uint32_t> world_size;
  std::vector<std::uint16_t> pipeline_group;  // world ranks of its pipeline, input first; empty if not said
  std::set<std::uint16_t> stages;             // of the actions in its annotations
  bool passes = false;                        // whether any annotation names a pass of a pipeline
};

// From distributedInfo: rank, world_size, and the process group that is named after the pipeline ("mesh_pp"
// of PyTorch's meshes, PIPELINE_MODEL_PARALLEL_GROUP of Megatron).
KinetoProcess kineto_process(const std::string& file, const JsonEventsRead& read);

struct KinetoPlace {
  std::uint16_t rank;
  std::uint16_t replica;
};

// In the order of the processes. By their pipeline groups where all name one; else by the stages they run,
// those with the same stages being replicas; else, where annotations name passes, each is a rank with its
// number in the world, and where none does, each is a process by itself: a replica. What was
// guessed or is missing goes to the notes. Throws InputError where two files are of the same process.
std::vector<KinetoPlace> place_processes(const std::vector<KinetoProcess>& processes,
                                         std::vector<Note>& notes);

}  // namespace spillway
