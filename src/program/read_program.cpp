#include "program/read_program.h"

#include <algorithm>

#include "json/document.h"
#include "json/document_kind.h"
#include "program/program_check.h"
#include "program/program_head.h"
#include "program/program_parser.h"

namespace spillway {
namespace {

// Another document, or another version, is reported by that alone.
void require_this_schema(const Node& head, const std::string& file) {
  Findings findings(file);
  if (is_another_kind(head, "program", findings)) findings.throw_if_any();
  const Node* schema = member(&head, "schema");
  const auto* text = schema ? std::get_if<std::string>(&schema->value) : nullptr;
  if (text && *text != kProgramSchema)
    findings.add("/schema", '"' + std::string(kProgramSchema) + '"', describe(*schema));
  findings.throw_if_any();
}

std::vector<std::vector<bool>> whole_actions(const std::vector<RankActions>& ranks) {
  std::vector<std::vector<bool>> whole;
  for (const RankActions& rank : ranks) {
    whole.emplace_back();
    for (std::size_t index = 0; index < rank.size(); ++index) whole.back().push_back(rank.is_whole(index));
  }
  return whole;
}

struct RootOfBroadcast {
  std::size_t program, action;
  std::uint32_t rank;
};

std::vector<RootOfBroadcast> roots_of(const std::vector<RankActions>& ranks) {
  std::vector<RootOfBroadcast> roots;
  for (std::size_t program = 0; program < ranks.size(); ++program)
    for (const auto& [action, rank] : ranks[program].roots()) roots.push_back({program, action, rank});
  return roots;
}

// Leaves out groups that the program does not have.
void check_roots(const Program& program, const std::vector<RootOfBroadcast>& roots, Findings& findings) {
  for (const auto& [of, action, rank] : roots) {
    const auto& broadcast = std::get<BroadcastAction>(program.programs[of].actions[action]);
    if (broadcast.group >= program.groups.size()) continue;
    const std::uint32_t first = program.groups[broadcast.group].front().rank.index();
    if (rank != first)
      findings.add(action_pointer(of, action) + "/root",
                   std::to_string(first) + ", the rank of the group's first member", std::to_string(rank));
  }
}

}  // namespace

Program read_program(const Source& source) {
  Findings of_actions(source.file);
  ParsedProgram parsed = parse_program(source, of_actions);
  Findings findings(source.file);
  const std::optional<Node> head = parse_json(parsed.head, findings);
  if (!head) findings.throw_if_any();
  require_this_schema(*head, source.file);
  const auto whole = whole_actions(parsed.ranks);
  const bool are_whole = std::ranges::all_of(parsed.ranks, &RankActions::whole);
  const auto roots = roots_of(parsed.ranks);
  const Files files;
  Program program = read_head({&*head, "", &findings, &files}, std::move(parsed));
  const bool head_is_whole = findings.empty();
  findings.add(of_actions.listed());
  if (head_is_whole)
    check_actions(
        program, [&](std::size_t rank, std::size_t action) { return whole[rank][action]; }, findings);
  if (head_is_whole && are_whole) {
    check_ids(program, findings);
    check_messages(program, findings);
    check_groups(program, findings);
    check_roots(program, roots, findings);
  }
  findings.throw_if_any();
  return program;
}

bool begins_program(std::string_view text) {
  const auto has = [&](std::string_view part) { return text.find(part) != std::string_view::npos; };
  return has("\"spillway/program/") || (has("\"programs\"") && has("\"actions\""));
}

}  // namespace spillway
