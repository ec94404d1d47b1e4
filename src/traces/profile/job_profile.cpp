#include "traces/profile/job_profile.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/error.h"
#include "traces/formats/kineto.h"
#include "traces/profile/job_kind.h"
#include "traces/profile/nsight_processes.h"
#include "traces/profile/rank_profile.h"

namespace spillway {
namespace job_profiles {
namespace {

struct Process {
  KinetoProcess process;
  ProfiledRank rank;
};

void check_ranks_differ(const std::vector<Process>& processes) {
  std::map<std::uint32_t, std::string> seen;
  for (const auto& [process, rank] : processes) {
    if (!process.world_rank) continue;
    const auto [other, fresh] = seen.emplace(*process.world_rank, process.file);
    if (!fresh)
      throw InputError({{process.file, "/distributedInfo/rank", "a rank of its own",
                         std::to_string(*process.world_rank) + ", which " + other->second + " has too"}});
  }
}

void number_ranks(std::vector<Process>& processes, std::vector<Note>& notes) {
  check_ranks_differ(processes);
  const bool numbered =
      std::ranges::all_of(processes, [](const Process& p) { return p.process.world_rank.has_value(); });
  for (std::size_t i = 0; i < processes.size(); ++i)
    processes[i].rank.rank = numbered ? *processes[i].process.world_rank : static_cast<std::uint32_t>(i);
  if (!numbered && processes.size() > 1)
    notes.push_back({NoteKind::Guessed, 0, "ranks: the files state none, so they count in their order"});
  std::ranges::stable_sort(processes, {}, [](const Process& p) { return p.rank.rank; });
}

std::uint32_t processes_of(const std::vector<Process>& processes, std::vector<Note>& notes) {
  auto world = static_cast<std::uint32_t>(processes.size());
  for (const Process& one : processes) world = std::max(world, one.process.world_size.value_or(0));
  if (world > processes.size())
    notes.push_back({NoteKind::Missing, world - processes.size(),
                     "processes of a job of " + std::to_string(world) + " without a file"});
  return world;
}

std::map<std::string, Seconds> whole_steps(const ProfiledRank& rank) {
  std::map<std::string, Seconds> steps;
  for (const ProfiledStep& step : rank.steps)
    if (step.whole && step.time > Seconds()) steps.emplace(step.name, step.time);
  return steps;
}

// A step takes what it takes on its slowest rank. Only steps that are whole on every rank count.
std::vector<Seconds> times_of_steps(const std::vector<ProfiledRank>& ranks) {
  std::vector<std::map<std::string, Seconds>> all;
  for (const ProfiledRank& rank : ranks) all.push_back(whole_steps(rank));
  std::vector<Seconds> times;
  for (const ProfiledStep& step : ranks.front().steps) {
    Seconds slowest;
    std::size_t found = 0;
    for (const auto& steps : all)
      if (const auto same = steps.find(step.name); same != steps.end())
        slowest = std::max(slowest, same->second), ++found;
    if (found == all.size()) times.push_back(slowest);
  }
  return times;
}

std::vector<std::uint32_t> slow_ranks(const std::vector<ProfiledRank>& ranks) {
  std::vector<Seconds> computing;
  for (const ProfiledRank& rank : ranks) computing.push_back(rank.time.computing);
  std::vector<std::uint32_t> slow;
  for (const std::size_t index : slow_ones(computing)) slow.push_back(ranks[index].rank);
  return slow;
}

void note_early(const ProcessEvents& events, std::vector<Note>& notes) {
  if (events.early > 0 && !events.of_the_host)
    notes.push_back({NoteKind::Differs, events.early,
                     "pieces of work before their launch in " + events.process.file +
                         ": the clocks of host and device differ a little"});
}

// The processes of a job, one by one.
class Reading {
 public:
  void add(ProcessEvents events) {
    if (job_.files.empty() || job_.files.back() != events.process.file)
      job_.files.push_back(events.process.file);
    processes_.push_back({events.process, rank_profile(events)});
    groups_.push_back(events.process.pipeline_group);
    job_.notes.insert(job_.notes.end(), events.notes.begin(), events.notes.end());
    note_early(events, job_.notes);
  }

  JobProfile finish() && {
    number_ranks(processes_, job_.notes);
    job_.processes = processes_of(processes_, job_.notes);
    for (Process& one : processes_) job_.ranks.push_back(std::move(one.rank));
    job_.inferences = about_job(job_, groups_);
    job_.step_times = times_of_steps(job_.ranks);
    if (!job_.step_times.empty()) job_.steps = steady_steps(job_.step_times);
    job_.slow_ranks = slow_ranks(job_.ranks);
    return std::move(job_);
  }

 private:
  JobProfile job_{{}, 0, {}, {}, {}, {}, {}, {}};
  std::vector<Process> processes_;
  std::vector<std::vector<std::uint16_t>> groups_;
};

// Memory holds one process at a time.
std::optional<JobProfile> from_kineto(const std::vector<std::string>& files) {
  Reading job;
  for (const std::string& file : files) {
    std::optional<ProcessEvents> events = read_process(file);
    if (!events) return std::nullopt;
    job.add(*std::move(events));
  }
  return std::move(job).finish();
}

std::optional<JobProfile> from_nsight(const std::string& path) {
  std::optional<std::vector<ProcessEvents>> processes = nsight_processes(path);
  if (!processes || processes->empty()) return std::nullopt;
  Reading job;
  for (ProcessEvents& events : *processes) job.add(std::move(events));
  return std::move(job).finish();
}

}  // namespace
}  // namespace job_profiles

std::optional<JobProfile> job_profile(const std::string& path) {
  using namespace job_profiles;
  const std::vector<std::string> files = kineto_files(path);
  return files.empty() ? from_nsight(path) : from_kineto(files);
}

}  // namespace spillway
