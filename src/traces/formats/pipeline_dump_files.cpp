#include "traces/formats/pipeline_dump_files.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "base/error.h"
#include "base/files.h"
#include "base/number.h"
#include "traces/files/json_file.h"

namespace spillway {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kBegin = "pp_rank_", kEnd = ".json";
constexpr std::uint64_t kMostStages = 65'535;

std::optional<std::uint16_t> rank_in(const std::string& name) {
  if (!name.starts_with(kBegin) || !name.ends_with(kEnd)) return std::nullopt;
  return number_from<std::uint16_t>(
      std::string_view(name).substr(kBegin.size(), name.size() - kBegin.size() - kEnd.size()));
}

}  // namespace

void refuse_dump(const std::string& path, const std::string& pointer, std::string expected,
                 std::string found) {
  throw InputError({{path, pointer, std::move(expected), std::move(found)}});
}

std::size_t count_dumps(const std::string& folder) {
  return static_cast<std::size_t>(std::ranges::count_if(
      entries_of(folder), [](const auto& entry) { return rank_in(entry.filename().string()).has_value(); }));
}

std::vector<RankDump> dumps_in(const std::string& folder) {
  std::vector<RankDump> dumps;
  for (const auto& entry : entries_of(folder))
    if (const auto rank = rank_in(entry.filename().string()))
      dumps.push_back({entry.string(), *rank, read_json_file(entry.string())});
  std::ranges::sort(dumps, {}, &RankDump::rank);
  for (std::size_t i = 0; i < dumps.size(); ++i)
    if (dumps[i].rank != i)
      refuse_dump(folder, "/", "a file of every rank of the pipeline", "none of rank " + std::to_string(i));
  for (const RankDump& dump : dumps)
    if (!dump.iterations.is_object() || dump.iterations.empty())
      refuse_dump(dump.path, "/", "an object with an iteration", "none");
  return dumps;
}

std::uint32_t chunks_of(const std::string& folder, std::size_t ranks) {
  const std::string path = folder + "/config.json";
  if (!is_plain_file(path)) return 1;
  const Json config = read_json_file(path);
  const auto size = [&](const char* key) {
    return config.is_object() && config.contains(key) && config[key].is_number_unsigned()
               ? config[key].get<std::uint64_t>()
               : std::uint64_t{0};
  };
  if (size("pp_size") > 0 && size("pp_size") != ranks)
    refuse_dump(path, "/pp_size", std::to_string(ranks) + ", as there are files of ranks",
                std::to_string(size("pp_size")));
  if (size("vp_size") * ranks > kMostStages)
    refuse_dump(path, "/vp_size", "at most " + std::to_string(kMostStages) + " stages on all ranks",
                std::to_string(size("vp_size")));
  return static_cast<std::uint32_t>(std::max<std::uint64_t>(1, size("vp_size")));
}

std::vector<double> times(const RankDump& dump, const std::string& iteration, const char* key) {
  const Json& values = dump.iterations.at(iteration);
  if (!values.is_object() || !values.contains(key)) return {};
  std::vector<double> list;
  for (const Json& value : values[key]) {
    if (!value.is_number())
      refuse_dump(dump.path, '/' + iteration + '/' + key + '/' + std::to_string(list.size()), "a number",
                  value.type_name());
    list.push_back(value.get<double>());
  }
  return list;
}

double number_at(const RankDump& dump, const std::string& iteration, const char* key) {
  const Json& values = dump.iterations.at(iteration);
  return values.is_object() && values.contains(key) && values[key].is_number() ? values[key].get<double>()
                                                                               : 0;
}

}  // namespace spillway
