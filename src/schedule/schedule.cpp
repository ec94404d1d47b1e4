#include "schedule/schedule.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace spillway {
namespace {

constexpr std::array<std::pair<Skeleton, std::string_view>, 3> kNames{{
    {Skeleton::OneFOneB, "1f1b"},
    {Skeleton::GPipe, "gpipe"},
    {Skeleton::Transpose, "transpose"},
}};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::optional<Skeleton> skeleton_from(std::string_view word) {
  for (const auto& [skeleton, name] : kNames) {
    if (name == word) return skeleton;
  }
  return std::nullopt;
}

std::string known_skeletons() {
  std::string text;
  for (const auto& [skeleton, name] : kNames) text += (text.empty() ? "" : ", ") + std::string(name);
  return text;
}

}  // namespace

Layout layout_of(Skeleton skeleton) {
  return skeleton == Skeleton::Transpose ? Layout::Replicated : Layout::Sharded;
}

std::string to_string(Skeleton skeleton) {
  for (const auto& [known, name] : kNames) {
    if (known == skeleton) return std::string(name);
  }
  throw ContractBreach("unknown skeleton");
}

std::string to_string(Layout layout) {
  return layout == Layout::Sharded ? "Sharded" : "Replicated";
}

std::string to_string(const Schedule& schedule) {
  std::string text;
  for (Skeleton skeleton : schedule.skeletons) text += (text.empty() ? "" : ",") + to_string(skeleton);
  return text;
}

std::variant<Schedule, std::vector<Violation>> parse_schedule(std::string_view text) {
  Schedule schedule;
  std::vector<Violation> violations;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    const std::string_view word = trimmed(text.substr(begin, comma - begin));
    if (const auto skeleton = skeleton_from(word)) {
      schedule.skeletons.push_back(*skeleton);
    } else {
      violations.push_back({"", "/schedule", "comma-separated skeletons out of " + known_skeletons(),
                            '"' + std::string(word) + '"'});
    }
    begin = comma + 1;
  }
  if (!violations.empty()) return violations;
  return schedule;
}

NormalForm normal_form(const Schedule& schedule, const Cut& cut) {
  ensure(cut.boundaries.size() + 1 == schedule.skeletons.size(), "one interior boundary between two regions");
  NormalForm normal;
  for (std::size_t region = 0; region < schedule.skeletons.size(); ++region) {
    const bool merges = region > 0 && layout_of(schedule.skeletons[region]) == Layout::Replicated &&
                        layout_of(schedule.skeletons[region - 1]) == Layout::Replicated;
    if (merges) {
      normal.reductions.push_back({region, cut.boundaries[region - 1]});
      continue;
    }
    normal.schedule.skeletons.push_back(schedule.skeletons[region]);
    if (region > 0) normal.cut.boundaries.push_back(cut.boundaries[region - 1]);
  }
  return normal;
}

std::vector<ShardedRun> sharded_runs(const Schedule& schedule) {
  std::vector<ShardedRun> runs;
  const auto& skeletons = schedule.skeletons;
  for (std::size_t first = 0; first < skeletons.size(); ++first) {
    if (layout_of(skeletons[first]) != Layout::Sharded) continue;
    std::size_t end = first;
    while (end < skeletons.size() && layout_of(skeletons[end]) == Layout::Sharded) ++end;
    runs.push_back({first, end, skeletons[first]});
    first = end;
  }
  return runs;
}

std::vector<Violation> check_schedule(const Schedule& schedule) {
  std::vector<Violation> violations;
  if (schedule.skeletons.empty()) {
    violations.push_back({"", "/schedule", "at least one skeleton", "none"});
  }
  for (const ShardedRun& run : sharded_runs(schedule)) {
    for (std::size_t region = run.first + 1; region < run.end; ++region) {
      if (schedule.skeletons[region] == run.skeleton) continue;
      violations.push_back(
          {"", "/schedule",
           "one skeleton in a run of adjacent pipelined regions (region " + std::to_string(run.first + 1) +
               " began it with " + to_string(run.skeleton) +
               "; woven runs of mixed skeletons have no defined meaning)",
           to_string(schedule.skeletons[region]) + " in region " + std::to_string(region + 1)});
    }
  }
  return violations;
}

}  // namespace spillway
