#include "schedule/schedule.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/printable.h"
#include "base/text.h"

namespace spillway {
namespace {

// Common names of schedules that have another text here, and that text.
constexpr std::array<std::pair<std::string_view, std::string_view>, 16> kKnownAs{{
    {"mpipe", "\"transpose,1f1b\", which is Mpipe's"},
    {"interleaved", "\"1f1b,1f1b\": 1f1b once for every chunk of a rank"},
    {"interleaved-1f1b", "\"1f1b,1f1b\": 1f1b once for every chunk of a rank"},
    {"vpp", "\"1f1b,1f1b\": 1f1b once for every chunk of a rank"},
    {"megatron", "\"1f1b\", which is Megatron's, with layers_per_rank or split where it is uneven"},
    {"combined-1f1b", "\"1f1b-overlap\", once for every chunk of a rank, which is Megatron-LM's"},
    {"1f1b-overlapped", "\"1f1b-overlap\", once for every chunk of a rank"},
    {"disttrain", "\"1f1b\" with \"split\": \"disaggregated\", which is DistTrain's rule"},
    {"balanced", "\"1f1b\" with \"split\": \"balanced\""},
    {"afab", "\"gpipe\": all forwards, then all backwards"},
    {"hanayo", "\"wave(w)\" with w waves, such as \"wave(2)\", which is Hanayo's"},
    {"wave", "\"wave(w)\" with w waves, such as \"wave(2)\""},
    {"zero-bubble",
     "one of \"zb-h1\", \"zb-h2\", \"zb-1p\", \"zb-2p\" and \"zb-v\", which are Zero Bubble's"},
    {"zb", "one of \"zb-h1\", \"zb-h2\", \"zb-1p\", \"zb-2p\" and \"zb-v\", which are Zero Bubble's"},
    {"dualpipe-v", "\"dualpipev\""},
    {"transposed", "\"transpose\" before the rest, such as \"transpose,1f1b\""},
}};

std::string dashed(std::string word) {
  std::replace(word.begin(), word.end(), '_', '-');
  return word;
}

std::string known_skeletons() {
  std::string text;
  for (const SkeletonKind kind : kEverySkeleton) {
    const SkeletonTraits& traits = traits_of(kind);
    add_to_list(text, traits.name.value);
    if (traits.chunks == kByWaves) text += "(w) with w of at least 1";
  }
  return text;
}

std::string weaving_skeletons() {
  std::string text;
  for (const SkeletonKind kind : kEverySkeleton)
    if (weaves(kind)) add_to_list(text, to_string(kind));
  return text;
}

std::string expected_for(const std::string& word) {
  for (const auto& [name, text] : kKnownAs)
    if (name == word) return std::string(text);
  return "comma-separated skeletons out of " + known_skeletons();
}

bool is_transposed(const Skeleton& skeleton) {
  return layout_of(skeleton) == Layout::Replicated;
}

// The first layer behind the schedule's inputs.
std::uint32_t end_of_inputs(const Model& model, const Schedule& schedule, const Cut& cut) {
  const std::size_t inputs = input_count(schedule);
  if (inputs == schedule.skeletons.size()) return model.layer_count();
  return inputs == 0 ? 0 : cut.boundaries[inputs - 1];
}

// The boundaries between towers side by side in the model's first `end` layers, if the block that they feed
// lies behind.
std::vector<std::uint32_t> between_towers(const Model& model, std::uint32_t end) {
  std::vector<std::uint32_t> boundaries;
  for (std::size_t block = 0; block < model.blocks().size() && model.blocks()[block].beside_next; ++block) {
    const std::size_t fed = fed_block(model, block);
    const std::uint32_t boundary = model.layers_of(block).end;
    if (boundary >= end || fed == model.blocks().size() || model.layers_of(fed).first < end) break;
    boundaries.push_back(boundary);
  }
  return boundaries;
}

}  // namespace

bool transposes(const Schedule& schedule) {
  return std::any_of(schedule.skeletons.begin(), schedule.skeletons.end(), is_transposed);
}

std::size_t input_count(const Schedule& schedule) {
  const auto& all = schedule.skeletons;
  return static_cast<std::size_t>(std::find_if_not(all.begin(), all.end(), is_transposed) - all.begin());
}

std::string to_string(const Schedule& schedule) {
  std::string text;
  for (const Skeleton& skeleton : schedule.skeletons) add_to_list(text, to_string(skeleton), ",");
  return text;
}

std::variant<Schedule, std::vector<Violation>> parse_schedule(std::string_view text) {
  Schedule schedule;
  std::vector<Violation> violations;
  for (const std::string_view part : split(text, ',')) {
    const std::string_view word = trimmed(part, " ");
    const std::string written = dashed(lower(word));
    if (const auto skeleton = skeleton_from(written)) {
      schedule.skeletons.push_back(*skeleton);
    } else {
      violations.push_back({"", "/schedule", expected_for(written), in_quotes(word)});
    }
  }
  if (!violations.empty()) return violations;
  return schedule;
}

NormalForm normal_form(const Model& model, const Schedule& schedule, const Cut& cut) {
  const std::vector<Skeleton>& all = schedule.skeletons;
  ensure(cut.boundaries.size() + 1 == all.size(), "one interior boundary between two regions");
  const std::vector<std::uint32_t> towers = between_towers(model, end_of_inputs(model, schedule, cut));
  NormalForm normal{{std::vector(towers.size(), Skeleton(SkeletonKind::Transpose))}, {towers}, {}};
  for (std::size_t region = 0; region < all.size(); ++region) {
    const bool merges = region > 0 && is_transposed(all[region]) && is_transposed(all[region - 1]);
    if (!merges) {
      normal.schedule.skeletons.push_back(all[region]);
      if (region > 0) normal.cut.boundaries.push_back(cut.boundaries[region - 1]);
    } else if (std::ranges::find(towers, cut.boundaries[region - 1]) == towers.end()) {
      normal.reductions.push_back({region, cut.boundaries[region - 1]});
    }
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

std::size_t piece_count(const Schedule& schedule) {
  std::size_t pieces = schedule.skeletons.size();
  for (const ShardedRun& run : sharded_runs(schedule)) pieces -= run.end - run.first - 1;
  return pieces;
}

bool has_woven_regions(const Schedule& schedule) {
  return piece_count(schedule) < schedule.skeletons.size();
}

std::optional<Cut> cut_by_runs(const Model& model, const Schedule& schedule,
                               const std::optional<Cut>& between_runs) {
  const std::optional<Cut> pieces = between_runs ? between_runs : default_cut(model, piece_count(schedule));
  if (!pieces) return std::nullopt;
  std::vector<std::uint32_t> ends = pieces->boundaries;
  ends.push_back(model.layer_count());
  const std::vector<ShardedRun> runs = sharded_runs(schedule);
  Cut cut;
  std::uint32_t begin = 0;
  std::size_t region = 0;
  for (const std::uint32_t end : ends) {
    const auto run = std::ranges::find(runs, region, &ShardedRun::first);
    const auto regions = static_cast<std::uint32_t>(run == runs.end() ? 1 : run->end - run->first);
    const std::uint32_t layers = end - begin;
    for (std::uint32_t i = 0; i < regions; ++i)
      cut.boundaries.push_back(begin += layers / regions + (i < layers % regions ? 1 : 0));
    region += regions;
  }
  cut.boundaries.pop_back();  // the end of the model
  return cut;
}

std::vector<Violation> check_schedule(const Schedule& schedule) {
  std::vector<Violation> violations;
  if (schedule.skeletons.empty()) {
    violations.push_back({"", "/schedule", "at least one skeleton", "none"});
  }
  for (const ShardedRun& run : sharded_runs(schedule)) {
    for (std::size_t region = run.first + 1; region < run.end; ++region) {
      if (schedule.skeletons[region] == run.skeleton) {
        if (weaves(run.skeleton)) continue;
        violations.push_back(
            {"", "/schedule",
             "one region in a run of " + to_string(run.skeleton) + " (" + weaving_skeletons() +
                 " can interleave adjacent regions)",
             "region " + std::to_string(region + 1) + " beside region " + std::to_string(region)});
        continue;
      }
      violations.push_back(
          {"", "/schedule",
           "one skeleton in a run of adjacent pipelined regions (region " + std::to_string(run.first + 1) +
               " began it with " + to_string(run.skeleton) +
               "; interleaved runs of mixed skeletons have no defined meaning)",
           to_string(schedule.skeletons[region]) + " in region " + std::to_string(region + 1)});
    }
  }
  return violations;
}

}  // namespace spillway
