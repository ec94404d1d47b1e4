// Finds which devices the folders of an Ascend profiler describe. Private to src/traces.
//
// Each device has a folder "..._ascend_pt" with ASCEND_PROFILER_OUTPUT, profiler_metadata.json and
// profiler_info_N.json. The metadata hold what the framework states about its groups ("distributed_args"). N
// is the device's rank in the world.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace spillway {

struct AscendRank {
  std::string output;  // the folder ASCEND_PROFILER_OUTPUT
  std::uint32_t world_rank;
  std::uint32_t pipeline_ranks;  // 1 if the metadata do not say
  std::uint32_t pipeline_rank;
  std::uint32_t replicas;  // 1 if the metadata do not say
  std::uint32_t replica;
  bool first_of_stage;    // among the devices that share a stage by tensor or context parallelism
  bool context_parallel;  // attention sends messages, too
  bool known;             // the folder has metadata

  // The file's path, or an empty text if there is no such file.
  std::string file(const std::string& name) const;
};

// Returns true if `path` holds such folders, is one, or is an ASCEND_PROFILER_OUTPUT.
bool has_ascend_ranks(const std::string& path);

// Returns the ranks in ascending order of their rank in the world. Throws InputError if the path has none,
// metadata are broken, two folders describe one rank, or stages are interleaved.
std::vector<AscendRank> ascend_ranks(const std::string& path);

}  // namespace spillway
