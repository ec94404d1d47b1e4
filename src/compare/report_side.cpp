#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "compare/parts.h"
#include "compare/read_sides.h"
#include "json/document_kind.h"
#include "json/node.h"
#include "json/place.h"
#include "report/step/drawn_figures.h"

namespace spillway {
namespace {

std::optional<double> number_in(const Node* node) {
  if (!node) return std::nullopt;
  if (const auto* value = std::get_if<double>(&node->value)) return *value;
  if (const auto* value = std::get_if<std::uint64_t>(&node->value)) return static_cast<double>(*value);
  if (const auto* value = std::get_if<std::int64_t>(&node->value)) return static_cast<double>(*value);
  return std::nullopt;
}

// Returns the figure of one draw, or `part` of the object for several draws.
std::optional<double> figure_in(const Node& of, std::string_view key, std::string_view part = "mean") {
  const Node* node = member(&of, key);
  if (!node) return std::nullopt;
  const auto alone = number_in(node);
  return alone ? alone : number_in(member(node, part));
}

std::optional<std::uint64_t> whole_in(const Node& node, std::string_view key) {
  const Node* value = member(&node, key);
  const auto* whole = value ? std::get_if<std::uint64_t>(&value->value) : nullptr;
  return whole ? std::optional(*whole) : std::nullopt;
}

// Returns "" if there is no such text.
std::string text_in(const Node& node, std::string_view key) {
  const Node* value = member(&node, key);
  const auto* text = value ? std::get_if<std::string>(&value->value) : nullptr;
  return text ? *text : "";
}

constexpr const char* kSchema = "spillway/report/2";
// The part of a critical path that reports of earlier versions do not have.
constexpr std::string_view kOnceLeftOut = "planning";
// The keys of a report that state its configuration.
constexpr std::array<std::string_view, 13> kStated = {
    "program",  "experiment", "platform",    "framework",        "seed",  "draws", "layout", "parameters",
    "baseline", "fitted",     "assumptions", "flops_convention", "inputs"};
constexpr std::array<std::string_view, 6> kStatedOfSchedule = {"name",  "schedule", "cut",
                                                               "owner", "order",    "memory_limit_bytes"};

template <class Keys>
Node picked(const Node& node, const Keys& keys) {
  Object some;
  for (const std::string_view key : keys)
    if (const Node* value = member(&node, key)) some.push_back({std::string(key), *value});
  return {std::move(some)};
}

Node stated_in(const Node& report, const List& schedules) {
  Node stated = picked(report, kStated);
  List of_schedules;
  for (const Node& schedule : schedules) of_schedules.push_back(picked(schedule, kStatedOfSchedule));
  std::get<Object>(stated.value).push_back({"schedules", {std::move(of_schedules)}});
  return stated;
}

bool adds_up(Seconds sum, Seconds makespan) {
  return std::abs((sum - makespan).value()) <= kRoundingShare * makespan.value();
}

// Returns the critical path of the longest path's first draw, or nothing if it does not add up to the
// makespan.
std::optional<Parts> critical_path_in(const Node& schedule, Seconds makespan) {
  const Node* path = member(&schedule, "critical_path");
  Parts parts;
  for (const std::string& name : critical_path_names()) {
    const Node* node = member(path, name + "_s");
    const auto time = number_in(node);
    if (!time && (node || name != kOnceLeftOut)) return std::nullopt;
    parts.parts.push_back({name, Seconds(time.value_or(0))});
    parts.length += parts.parts.back().time;
  }
  return adds_up(parts.length, makespan) ? std::optional(parts) : std::nullopt;
}

struct RankRow {
  RankId rank;
  Seconds busy, communication, bubble, idle;
};

std::optional<RankRow> rank_row(const Node& row) {
  const auto rank = whole_in(row, "rank");
  const auto busy = figure_in(row, "busy_s"), communication = figure_in(row, "communication_s"),
             bubble = figure_in(row, "bubble_s"), idle = figure_in(row, "idle_s");
  if (!rank || !busy || !communication || !bubble || !idle) return std::nullopt;
  return RankRow{RankId(static_cast<std::uint32_t>(*rank)), Seconds(*busy), Seconds(*communication),
                 Seconds(*bubble), Seconds(*idle)};
}

std::vector<RankRow> rank_rows_in(const Node& schedule) {
  const Node* node = member(&schedule, "ranks");
  const auto* list = node ? std::get_if<List>(&node->value) : nullptr;
  std::vector<RankRow> rows;
  if (!list) return rows;
  for (const Node& element : *list)
    if (const auto row = rank_row(element)) rows.push_back(*row);
  return rows;
}

Parts parts_of_rows(const std::vector<RankRow>& rows) {
  const auto count = static_cast<double>(rows.size());
  Seconds computing, communication, waiting;
  for (const RankRow& row : rows) {
    computing += row.busy / count;
    communication += (row.bubble - row.idle) / count;
    waiting += row.idle / count;
  }
  return rank_parts(computing, communication, waiting);
}

std::vector<RankTime> times_of_rows(const std::vector<RankRow>& rows) {
  std::map<RankId, std::vector<const RankRow*>> by_rank;
  for (const RankRow& row : rows) by_rank[row.rank].push_back(&row);
  std::vector<RankTime> times;
  for (const auto& [rank, replicas] : by_rank) {
    const auto mean = [&](Seconds RankRow::*part) {
      Seconds sum;
      for (const RankRow* row : replicas) sum += row->*part / static_cast<double>(replicas.size());
      return sum;
    };
    times.push_back({rank, "computing", mean(&RankRow::busy)});
    times.push_back({rank, "communication", mean(&RankRow::communication)});
    times.push_back({rank, "idle", mean(&RankRow::idle)});
  }
  return times;
}

std::vector<Warning> warnings_in(const Node& schedule) {
  const Node* node = member(&schedule, "warnings");
  const auto* list = node ? std::get_if<List>(&node->value) : nullptr;
  std::vector<Warning> warnings;
  if (!list) return warnings;
  for (const Node& warning : *list) warnings.push_back({text_in(warning, "code"), text_in(warning, "text")});
  return warnings;
}

std::optional<SideRun> run_in(const Place& place) {
  const Node* name_node = member(place.node, "name");
  const auto* name = name_node ? std::get_if<std::string>(&name_node->value) : nullptr;
  const auto makespan = figure_in(*place.node, "makespan_s");
  if (!name || !makespan || *makespan <= 0) {
    place.refuse("a schedule with a name and a makespan_s above 0");
    return std::nullopt;
  }
  SideRun run{.name = *name, .figures = {}, .parts = {}, .ranks = {}, .events = {}};
  for (const DrawnFigure& figure : drawn_figures())
    if (const auto shown = figure_in(*place.node, figure.key, figure.part()))
      run.figures.push_back({std::string(figure.key), *shown, {}});
  run.parts[std::size_t(Decomposition::CriticalPath)] = critical_path_in(*place.node, Seconds(*makespan));
  const std::vector<RankRow> rows = rank_rows_in(*place.node);
  const Parts parts = parts_of_rows(rows);
  if (rows.empty() || !adds_up(parts.length, Seconds(*makespan)))
    place.findings->add(
        child(place.pointer, "ranks"),
        "ranks whose busy_s and bubble_s add up to the makespan_s of " + describe({*makespan}),
        rows.empty() ? "none" : describe({parts.length.value()}));
  run.parts[std::size_t(Decomposition::Ranks)] = parts;
  run.ranks = times_of_rows(rows);
  run.warnings = warnings_in(*place.node);
  run.unranked = text_in(*place.node, "unranked_reason");
  return run;
}

void require_version(const Node& document, Findings& findings) {
  if (is_another_kind(document, "report", findings)) return;
  const Node* schema = member(&document, "schema");
  if (!schema || *schema != Node{std::string(kSchema)})
    findings.add("/schema", '"' + std::string(kSchema) + "\", the version that this program writes",
                 schema ? describe(*schema) : "no such key");
}

std::vector<SideRun> runs_in(const Place& report) {
  const Node* schedules = member(report.node, "schedules");
  std::vector<SideRun> runs;
  if (!schedules) report.findings->add("/schedules", "a list of schedules", "no such key");
  const auto places =
      schedules ? read_list({schedules, "/schedules", report.findings, report.files}) : std::nullopt;
  if (!places) return runs;
  if (places->empty()) report.findings->add("/schedules", "at least one schedule", "an empty list");
  for (const Place& place : *places)
    if (auto run = run_in(place)) runs.push_back(*std::move(run));
  return runs;
}

}  // namespace

Side report_side(const std::string& file, const Node& document) {
  Findings findings(file);
  require_version(document, findings);
  findings.throw_if_any();
  const Files files;
  std::vector<SideRun> runs = runs_in({&document, "", &findings, &files});
  findings.throw_if_any();
  return {.file = file,
          .kind = SideKind::Report,
          .seed = whole_in(document, "seed").value_or(0),
          .draws = whole_in(document, "draws").value_or(1),
          .stated = stated_in(document, std::get<List>(member(&document, "schedules")->value)),
          .document = std::nullopt,
          .runs = std::move(runs)};
}

Engines engines_of(const Node& report) {
  const Node& first = std::get<List>(member(&report, "schedules")->value).front();
  const Node* made = member(&first, "engines");
  Engines engines{.run = {}};
  for (const EngineEntry& entry : engine_list())
    if (made && figure_in(*made, entry.key)) engines.run.add(entry.engine);
  if (engines.run.empty()) engines.run.add(Engine::LongestPath);
  return engines;
}

}  // namespace spillway
