// Which devices the folders of an Ascend profiler are of. Private to src/traces.
//
// Each device has a folder "..._ascend_pt" with ASCEND_PROFILER_OUTPUT, profiler_metadata.json (what the
// framework told of its groups: "distributed_args") and profiler_info_N.json, N its rank in the world.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace spillway {

struct AscendRank {
  std::string output;  // the folder ASCEND_PROFILER_OUTPUT
  std::uint32_t world_rank;
  std::uint32_t pipeline_ranks;  // 1 where nothing says so
  std::uint32_t pipeline_rank;
  std::uint32_t replicas;  // 1 where nothing says so
  std::uint32_t replica;
  bool first_of_stage;    // of the devices that share a stage by tensor or context parallelism
  bool context_parallel;  // attention passes messages of its own
  bool known;             // metadata was there

  // The file's path; empty where there is none.
  std::string file(const std::string& name) const;
};

// Whether `path` holds such folders, is one, or is an ASCEND_PROFILER_OUTPUT.
bool has_ascend_ranks(const std::string& path);

// Ascending by rank in the world. Throws InputError where the path has none, metadata are broken, two folders
// are of one rank, or stages are interleaved.
std::vector<AscendRank> ascend_ranks(const std::string& path);

}  // namespace spillway
