#include "program/program_head.h"

#include <algorithm>
#include <limits>
#include <set>

namespace spillway {
namespace {

std::optional<std::uint32_t> index_in(const Place& place) {
  return read_count(place, 0);
}

std::optional<std::uint32_t> below(const Place& place, std::uint32_t count) {
  return count == 0 ? index_in(place) : read_count(place, 0, count - 1);
}

// Elements of a list say their own number.
void require_number(const Fields& fields, std::string_view key, std::size_t number) {
  fields.need(key, [&](const Place& place) { return read_whole(place, number, number); });
}

// Reads two keys, a layer range.
LayerRange layers_of(const Fields& fields) {
  const std::uint32_t first = fields.need("first_layer", index_in).value_or(0);
  const auto end = fields.need("end_layer", [&](const Place& place) {
    return read_count(place, std::min(first, std::numeric_limits<std::uint32_t>::max() - 1) + 1);
  });
  return {first, end.value_or(first + 1)};
}

std::string text_of(const Fields& fields, std::string_view key) {
  return fields.need(key, read_text).value_or("");
}

bool flag_of(const Fields& fields, std::string_view key) {
  return fields.need(key, read_boolean).value_or(false);
}

std::vector<Place> elements_of(const Fields& fields, std::string_view key) {
  return fields.need(key, read_list).value_or(std::vector<Place>());
}

std::vector<ProgramRegion> blocks_of_head(const Fields& head) {
  std::vector<ProgramRegion> blocks;
  for (const Place& place : elements_of(head, "blocks")) {
    const Fields fields(place, {"name", "role", "first_layer", "end_layer", "trainable"});
    const std::string name = text_of(fields, "name");
    const auto role = fields.need("role", [](const Place& word) { return read_choice<Role>(word, kRoles); });
    const LayerRange layers = layers_of(fields);
    blocks.push_back(
        {name, role.value_or(Role::Encoder), layers.first, layers.end, flag_of(fields, "trainable")});
  }
  return blocks;
}

// Refuses a list without elements.
void require_some(const Fields& fields, std::string_view key, const char* elements) {
  const std::optional<Place> list = fields.at(key);
  const auto* found = list ? std::get_if<List>(&list->node->value) : nullptr;
  if (found && found->empty()) list->refuse(std::string("a list of ") + elements);
}

std::vector<ProgramStage> stages_of_head(const Fields& head, std::uint32_t ranks) {
  std::vector<ProgramStage> stages;
  require_some(head, "stages", "stages");
  for (const Place& place : elements_of(head, "stages")) {
    const Fields fields(place, {"stage_index", "region", "rank", "first_layer", "end_layer", "trained"});
    require_number(fields, "stage_index", stages.size());
    const std::string region = text_of(fields, "region");
    const auto rank = fields.need("rank", [&](const Place& number) { return below(number, ranks); });
    const LayerRange layers = layers_of(fields);
    stages.push_back(
        {region, RankId(rank.value_or(0)), layers.first, layers.end, flag_of(fields, "trained")});
  }
  return stages;
}

std::vector<GroupMember> members_of_head(const Fields& group, const Program& program) {
  std::vector<GroupMember> members;
  std::set<GroupMember> known;
  for (const Place& place : elements_of(group, "members")) {
    const Fields fields(place, {"replica", "rank"});
    const auto replica =
        fields.need("replica", [&](const Place& number) { return below(number, program.replicas); });
    const auto rank = fields.need("rank", [&](const Place& number) { return below(number, program.ranks); });
    if (!replica || !rank) continue;
    members.push_back({ReplicaId(*replica), RankId(*rank)});
    if (!known.insert(members.back()).second) place.refuse("a member that the group has once");
  }
  return members;
}

std::vector<std::vector<GroupMember>> groups_of_head(const Fields& head, const Program& program) {
  std::vector<std::vector<GroupMember>> groups;
  for (const Place& place : elements_of(head, "groups")) {
    const Fields fields(place, {"group", "members"});
    require_number(fields, "group", groups.size());
    require_some(fields, "members", "members");
    groups.push_back(members_of_head(fields, program));
  }
  return groups;
}

void refuse_count(const Place& place, const std::string& what, std::uint64_t count) {
  place.findings->add(place.pointer, "a list of " + std::to_string(count) + ", " + what,
                      describe(*place.node));
}

// The parser has taken the samples out of their lists. Counts that could not be read are reported by
// themselves.
void check_samples(const Fields& head, const Program& program) {
  const std::optional<Place> samples = head.require("samples");
  if (!samples || std::holds_alternative<std::nullptr_t>(samples->node->value)) return;
  const std::vector<Place> rows = read_list(*samples).value_or(std::vector<Place>());
  if (program.replicas == 0 || program.microbatches == 0) return;
  if (std::holds_alternative<List>(samples->node->value) && rows.size() != program.replicas)
    return refuse_count(*samples, "one for each replica", program.replicas);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (!read_list(rows[row])) continue;
    const std::size_t found = row < program.samples.size() ? program.samples[row].size() : 0;
    if (found != program.microbatches)
      samples->findings->add(
          rows[row].pointer,
          "a list of " + std::to_string(program.microbatches) + ", one for each microbatch",
          "a list of " + std::to_string(found));
  }
}

void read_ranks(const Fields& head, std::vector<RankActions> parsed, Program& program) {
  const std::optional<Place> list = head.require("programs");
  if (!list) return;
  const std::vector<Place> places = read_list(*list).value_or(std::vector<Place>());
  const std::uint64_t count = std::uint64_t{program.ranks} * program.replicas;
  // Without the number of ranks, which is reported by itself, nobody knows where a rank belongs.
  const bool counted = count > 0;
  if (counted && std::holds_alternative<List>(list->node->value) && places.size() != count)
    refuse_count(*list, "one for each rank of each replica", count);
  for (std::size_t index = 0; index < places.size(); ++index) {
    const Fields fields(places[index], {"replica", "rank", "actions"});
    const std::uint32_t ranks = std::max(program.ranks, 1U);
    if (counted) require_number(fields, "replica", index / ranks);
    if (counted) require_number(fields, "rank", index % ranks);
    fields.need("actions", read_list);
    RankActions actions = index < parsed.size() ? std::move(parsed[index]) : RankActions(index);
    program.programs.push_back(
        std::move(actions).program(ReplicaId(static_cast<std::uint32_t>(index / ranks)),
                                   RankId(static_cast<std::uint32_t>(index % ranks))));
  }
}

}  // namespace

Program read_head(const Place& root, ParsedProgram parsed) {
  const Fields head(root,
                    {"schema", "experiment", "schedule", "draw", "ranks", "microbatches", "replicas",
                     "point_to_point", "makespan_s", "blocks", "stages", "samples", "groups", "programs"});
  require_schema(head, kProgramSchema);
  const auto count = [](const Place& place) { return read_count(place); };
  const auto seconds = [](const Place& place) { return read_number(place, kNotNegative); };
  Program program{};
  program.experiment = text_of(head, "experiment");
  program.schedule = text_of(head, "schedule");
  program.draw = head.need("draw", index_in).value_or(0);
  program.ranks = head.need("ranks", count).value_or(0);
  program.microbatches = head.need("microbatches", count).value_or(0);
  program.replicas = head.need("replicas", count).value_or(0);
  program.blocking = head.need("point_to_point",
                               [](const Place& word) {
                                 return read_word(word, {"overlapped", "blocking"});
                               })
                         .value_or(0) == 1;
  program.makespan = Seconds(head.need("makespan_s", seconds).value_or(0));
  program.blocks = blocks_of_head(head);
  program.stages = stages_of_head(head, program.ranks);
  program.groups = groups_of_head(head, program);
  program.sizes = parsed.sizes.all();
  program.samples = std::move(parsed.samples);
  check_samples(head, program);
  read_ranks(head, std::move(parsed.ranks), program);
  return program;
}

}  // namespace spillway
