// The files of pipeline_dump.cpp, and what is wrong with them. Private to src/traces.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace spillway {

// One rank's file.
struct RankDump {
  std::string path;
  std::uint16_t rank;
  nlohmann::ordered_json iterations;
};

// How many files of ranks a folder has.
std::size_t count_dumps(const std::string& folder);

// By rank, each with an iteration at least. Throws InputError where a rank's is missing or broken.
std::vector<RankDump> dumps_in(const std::string& folder);

// How many chunks each rank has: what config.json beside them says, else one.
std::uint32_t chunks_of(const std::string& folder, std::size_t ranks);

// In milliseconds, one for each call; empty where the iteration has no such list.
std::vector<double> times(const RankDump& dump, const std::string& iteration, const char* key);

// 0 where there is none.
double number_at(const RankDump& dump, const std::string& iteration, const char* key);

[[noreturn]] void refuse_dump(const std::string& path, const std::string& pointer, std::string expected,
                              std::string found);

}  // namespace spillway
