#include "traces/ascend/ascend_ranks.h"

#include <algorithm>
#include <filesystem>
#include <limits>

#include "base/error.h"
#include "base/files.h"
#include "base/number.h"
#include "json/dumped.h"
#include "traces/files/json_file.h"

namespace spillway {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kOutput = "ASCEND_PROFILER_OUTPUT";

bool is_output(const fs::path& folder) {
  return is_there(folder / "kernel_details.csv") || is_there(folder / "communication.json");
}

// Returns every ASCEND_PROFILER_OUTPUT at the path, by name.
std::vector<fs::path> outputs(const fs::path& path) {
  if (!is_folder(path)) return {};
  if (is_output(path)) return {path};
  if (is_folder(path / kOutput)) return {path / kOutput};
  std::vector<fs::path> found;
  for (const fs::path& entry : entries_of(path))
    if (is_folder(entry / kOutput)) found.push_back(entry / kOutput);
  return found;
}

// N of profiler_info_N.json, or 0 if there is none.
std::uint32_t rank_of_info(const fs::path& folder) {
  constexpr std::string_view kPrefix = "profiler_info_";
  for (const fs::path& entry : entries_of(folder)) {
    const std::string stem = entry.stem().string();
    if (!stem.starts_with(kPrefix)) continue;
    if (const auto rank = number_from<std::uint32_t>(std::string_view(stem).substr(kPrefix.size())))
      return *rank;
  }
  return 0;
}

Json metadata(const fs::path& path) {
  return is_there(path) ? read_json_file(path.string()) : Json::object();
}

// Reads sizes and ranks from distributed_args. A value that is absent or null counts as `missing`.
class Arguments {
 public:
  Arguments(const Json& metadata, std::string file) : file_(std::move(file)) {
    if (metadata.is_object() && metadata.contains("distributed_args")) json_ = metadata["distributed_args"];
  }

  bool known() const { return json_.is_object() && !json_.empty(); }

  std::uint32_t at(const std::string& key, std::uint32_t least, std::uint32_t missing) const {
    if (!known() || !json_.contains(key) || json_[key].is_null()) return missing;
    const Json& value = json_[key];
    const bool fits = value.is_number_unsigned() && value.get<std::uint64_t>() >= least &&
                      value.get<std::uint64_t>() <= std::numeric_limits<std::uint16_t>::max();
    if (!fits)
      throw InputError({{file_, "/distributed_args/" + key,
                         "a whole number from " + std::to_string(least) + " to 65535", dumped(value)}});
    return value.get<std::uint32_t>();
  }

  void refuse(const std::string& key, std::string expected) const {
    throw InputError({{file_, "/distributed_args/" + key, std::move(expected),
                       json_.contains(key) ? dumped(json_[key]) : "nothing"}});
  }

 private:
  Json json_;
  std::string file_;
};

// Megatron orders ranks with tensor parallelism fastest, then context, then data, and pipeline slowest.
AscendRank ascend_rank(const fs::path& output) {
  const fs::path folder = absolute_path(output / ".").lexically_normal().parent_path().parent_path();
  const fs::path file = folder / "profiler_metadata.json";
  const Arguments arguments(metadata(file), file.string());
  const std::uint32_t pipeline = arguments.at("pipeline_model_parallel_size", 1, 1);
  const std::uint32_t tensor = arguments.at("tensor_model_parallel_size", 1, 1);
  const std::uint32_t context = arguments.at("context_parallel_size", 1, 1);
  const std::uint32_t data = arguments.at("data_parallel_size", 1, 1);
  constexpr const char* kInterleaved = "virtual_pipeline_model_parallel_size";
  if (arguments.at(kInterleaved, 1, 1) > 1) arguments.refuse(kInterleaved, "one stage on each rank");
  const std::uint32_t rank = arguments.at("rank", 0, rank_of_info(folder));
  const std::uint32_t in_stage = tensor * context;
  const std::uint32_t pipeline_rank = rank / (in_stage * data);
  if (arguments.known() && pipeline_rank >= pipeline)
    arguments.refuse("rank", "a rank below " + std::to_string(in_stage * data * pipeline));
  return {output.string(),
          rank,
          pipeline,
          arguments.known() ? pipeline_rank : 0,
          data,
          arguments.known() ? rank / in_stage % data : 0,
          rank % in_stage == 0,
          context > 1,
          arguments.known()};
}

}  // namespace

std::string AscendRank::file(const std::string& name) const {
  const fs::path path = fs::path(output) / name;
  return is_there(path) ? path.string() : "";
}

bool has_ascend_ranks(const std::string& path) {
  return !outputs(path).empty();
}

std::vector<AscendRank> ascend_ranks(const std::string& path) {
  std::vector<AscendRank> ranks;
  for (const fs::path& output : outputs(path)) ranks.push_back(ascend_rank(output));
  if (ranks.empty())
    throw InputError(
        {{path, "/", "folders of an Ascend profiler, each with ASCEND_PROFILER_OUTPUT", "none"}});
  std::stable_sort(ranks.begin(), ranks.end(),
                   [](const AscendRank& a, const AscendRank& b) { return a.world_rank < b.world_rank; });
  std::vector<Violation> twice;
  for (std::size_t i = 1; i < ranks.size(); ++i)
    if (ranks[i].world_rank == ranks[i - 1].world_rank)
      twice.push_back(
          {ranks[i].output, "/", "one folder of each rank",
           "rank " + std::to_string(ranks[i].world_rank) + " again, also in " + ranks[i - 1].output});
  if (!twice.empty()) throw InputError(std::move(twice));
  return ranks;
}

}  // namespace spillway
