#include "traces/formats/kineto_ranks.h"

#include <algorithm>
#include <map>

#include "base/error.h"
#include "base/number.h"

namespace spillway {
namespace {

constexpr std::string_view kGroups = "/distributedInfo/pg_config/";
constexpr std::string_view kDescription = "/pg_desc";

bool is_pipeline(std::string_view description) {
  return description == "mesh_pp" || description == "pp" ||
         description.find("PIPELINE_MODEL_PARALLEL_GROUP") != description.npos;
}

// Returns "/distributedInfo/pg_config/3" for the pipeline's group, or an empty text if there is none.
std::string pipeline_group_pointer(const JsonEventsRead& read) {
  for (const OutsideValue& value : read.outside) {
    const std::string& pointer = value.pointer;
    if (pointer.starts_with(kGroups) && pointer.ends_with(kDescription) && is_pipeline(value.text))
      return pointer.substr(0, pointer.size() - kDescription.size());
  }
  return {};
}

std::vector<std::uint16_t> pipeline_group(const JsonEventsRead& read) {
  const std::string group = pipeline_group_pointer(read);
  std::vector<std::uint16_t> ranks;
  if (group.empty()) return ranks;
  for (const OutsideValue& value : read.outside) {
    if (!value.pointer.starts_with(group + "/ranks/")) continue;
    const auto rank = number_from<std::uint16_t>(value.text);
    if (!rank) return {};  // the profiler shortened a long list
    ranks.push_back(*rank);
  }
  return ranks;
}

// Processes with equal `alike` are replicas of one rank. Ranks are in the order of `alike`.
template <class Alike>
std::vector<KinetoPlace> replicas_of(const std::vector<Alike>& alike) {
  std::map<Alike, std::uint16_t> rank, replicas;
  for (const Alike& one : alike) rank.emplace(one, 0);
  std::uint16_t next = 0;
  for (auto& [one, number] : rank) number = next++;
  std::vector<KinetoPlace> places;
  for (const Alike& one : alike) places.push_back({rank.at(one), replicas[one]++});
  return places;
}

bool is_in_its_group(const KinetoProcess& process) {
  const auto& group = process.pipeline_group;
  return process.world_rank && std::find(group.begin(), group.end(), *process.world_rank) != group.end();
}

std::vector<KinetoPlace> by_groups(const std::vector<KinetoProcess>& processes) {
  std::set<std::vector<std::uint16_t>> groups;
  for (const KinetoProcess& process : processes) groups.insert(process.pipeline_group);
  std::vector<KinetoPlace> places;
  for (const KinetoProcess& process : processes) {
    const auto& group = process.pipeline_group;
    const auto rank = std::find(group.begin(), group.end(), *process.world_rank) - group.begin();
    const auto replica = std::distance(groups.begin(), groups.find(group));
    places.push_back({static_cast<std::uint16_t>(rank), static_cast<std::uint16_t>(replica)});
  }
  return places;
}

std::vector<KinetoPlace> by_stages(const std::vector<KinetoProcess>& processes) {
  std::vector<std::set<std::uint16_t>> stages;
  for (const KinetoProcess& process : processes) stages.push_back(process.stages);
  return replicas_of(stages);
}

void check_processes_differ(const std::vector<KinetoProcess>& processes) {
  std::map<std::uint16_t, std::string> seen;
  for (const KinetoProcess& process : processes) {
    if (!process.world_rank) continue;
    const auto [other, fresh] = seen.emplace(*process.world_rank, process.file);
    if (!fresh)
      throw InputError({{process.file, "/distributedInfo/rank", "a rank of its own",
                         std::to_string(*process.world_rank) + ", which " + other->second + " has too"}});
  }
}

void note_missing(const std::vector<KinetoProcess>& processes, std::vector<Note>& notes) {
  std::uint32_t world = 0;
  for (const KinetoProcess& process : processes) world = std::max(world, process.world_size.value_or(0));
  if (world > processes.size())
    notes.push_back({NoteKind::Missing, world - processes.size(),
                     "processes of a job of " + std::to_string(world) + " without a file"});
}

constexpr std::string_view kPassesMissing =
    "annotations of a pipeline's passes, so no process has a pipeline rank; known annotations are PP:0F0 and "
    "similar ones of torch.distributed.pipelining, and Forward 0 and Backward 0";

}  // namespace

KinetoProcess kineto_process(const std::string& file, const JsonEventsRead& read) {
  return {file,
          number_from<std::uint16_t>(read.outside_value("/distributedInfo/rank")),
          number_from<std::uint32_t>(read.outside_value("/distributedInfo/world_size")),
          pipeline_group(read),
          {},
          false};
}

std::vector<KinetoPlace> place_processes(const std::vector<KinetoProcess>& processes,
                                         std::vector<Note>& notes) {
  check_processes_differ(processes);
  note_missing(processes, notes);
  const auto all = [&](auto&& has) { return std::all_of(processes.begin(), processes.end(), has); };
  if (all(is_in_its_group)) return by_groups(processes);
  if (all([](const KinetoProcess& p) { return !p.stages.empty(); })) {
    notes.push_back({NoteKind::Guessed, 0, "ranks of the pipeline, by the stages that each process runs"});
    return by_stages(processes);
  }
  const bool numbered = all([](const KinetoProcess& p) { return p.world_rank.has_value(); });
  const bool passes = std::ranges::any_of(processes, &KinetoProcess::passes);
  notes.push_back(passes ? Note{NoteKind::Guessed, 0,
                                numbered
                                    ? "ranks of the pipeline: each process is one, with its number in the job"
                                    : "ranks of the pipeline: each process is one, in the order of the files"}
                         : Note{NoteKind::Missing, 0, std::string(kPassesMissing)});
  std::vector<KinetoPlace> places;
  for (std::size_t i = 0; i < processes.size(); ++i) {
    const std::uint16_t number = numbered ? *processes[i].world_rank : static_cast<std::uint16_t>(i);
    places.push_back(passes ? KinetoPlace{number, 0} : KinetoPlace{0, static_cast<std::uint16_t>(i)});
  }
  return places;
}

}  // namespace spillway
