// Finds the pipeline rank and the replica of each file of a PyTorch job. Private to src/traces.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "traces/files/json_events.h"
#include "traces/files/note.h"

namespace spillway {

// A process, as the file that it wrote describes it.
struct KinetoProcess {
  std::string file;
  std::optional<std::uint16_t> world_rank;
  std::optional<std::uint32_t> world_size;
  std::vector<std::uint16_t> pipeline_group;  // world ranks of its pipeline, input first; empty if not stated
  std::set<std::uint16_t> stages;             // of the actions in its annotations
  bool passes = false;                        // true if any annotation names a pass of a pipeline
};

// Reads distributedInfo: rank, world_size, and the process group with the pipeline's name ("mesh_pp" of
// PyTorch's meshes, PIPELINE_MODEL_PARALLEL_GROUP of Megatron).
KinetoProcess kineto_process(const std::string& file, const JsonEventsRead& read);

struct KinetoPlace {
  std::uint16_t rank;
  std::uint16_t replica;
};

// Returns the places in the order of the processes. If all processes name their pipeline group, the groups
// decide. Otherwise the stages that they run decide, and processes with the same stages are replicas. Without
// stages, if annotations name passes, each process is a rank, with its number in the world. If no annotation
// names one, each process is a replica. Notes list what was guessed or is missing. Throws InputError if two
// files are of the same process.
std::vector<KinetoPlace> place_processes(const std::vector<KinetoProcess>& processes,
                                         std::vector<Note>& notes);

}  // namespace spillway
