#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <string>
#include <vector>

#include "report/inputs/trace_validation.h"
#include "words/duration_text.h"
#include "words/table.h"
#include "words/wording.h"

namespace spillway {
namespace {

constexpr std::size_t kWorst = 3;
constexpr std::size_t kMostNotes = 15;

std::string what_it_is(const Validation& v) {
  return v.format + ": " + counted(v.ranks, "rank") + ", " + counted(v.stages, "stage") + ", " +
         counted(v.microbatches, "microbatch") + ", " + counted(v.replicas, "replica") + ", " +
         counted(v.cases.size(), "case");
}

std::string file_names(const Validation& v) {
  if (v.files.empty()) return "none";
  std::string names = v.files.front();
  if (v.files.size() > 1) names += " and " + std::to_string(v.files.size() - 1) + " more";
  return names;
}

std::string schedule_text(const Validation& v) {
  std::string text = v.match.schedule;
  if (v.match.microbatch_group > 0) text += ", microbatch_group " + std::to_string(v.match.microbatch_group);
  if (!v.match.nearest.empty()) text += ", nearest to " + v.match.nearest;
  return text;
}

std::string transfers_text(const Validation& v) {
  const TransferMode& mode = v.transfers;
  std::string text = std::string(to_string(mode.point_to_point)) + ", " + duration_text(v.typical_transfer);
  if (mode.sends == 0) return text + "; no sends in the trace";
  return text + fmt::format("; senders compute during {} of the time of {}", percent(mode.computing_share, 1),
                            counted(mode.sends, "send"));
}

std::vector<std::string> error_row(const std::string& name, const ErrorSummary& errors) {
  return {name, percent(errors.mean_absolute, 3), percent(errors.most_absolute, 3),
          signed_percent(errors.bias, 3)};
}

struct Replay {
  std::string name;
  Seconds ValidatedStep::*span;
};

std::vector<Replay> every_replay(const Validation& v) {
  const bool blocks = v.transfers.point_to_point == PointToPoint::Blocking;
  return {{"as measured", &ValidatedStep::replayed},
          {"constant transfer", &ValidatedStep::constant_transfer},
          {"means only", &ValidatedStep::means_only},
          {"means per replica", &ValidatedStep::means_per_replica},
          {blocks ? "overlapped" : "blocking", &ValidatedStep::other_mode}};
}

TableRows span_error_rows(const Validation& v) {
  TableRows rows = {{"error of the span", "mean", "largest", "bias"}};
  for (const Replay& replay : every_replay(v))
    rows.push_back(error_row(replay.name, span_errors(v, replay.span)));
  if (const auto model = model_errors(v)) rows.push_back(error_row("model", *model));
  return rows;
}

double replay_error(const ValidatedStep& one) {
  return one.replayed / one.measured - 1;
}

// The rows are sorted by the error of the replay, not of the model, which only adds a column.
TableRows worst_rows(const Validation& v) {
  std::vector<std::size_t> by_error(v.cases.size());
  std::iota(by_error.begin(), by_error.end(), std::size_t{0});
  std::stable_sort(by_error.begin(), by_error.end(), [&](std::size_t a, std::size_t b) {
    return std::abs(replay_error(v.cases[a])) > std::abs(replay_error(v.cases[b]));
  });
  by_error.resize(std::min(by_error.size(), kWorst));
  TableRows rows = {{"largest errors", "measured"}};
  for (const Replay& replay : every_replay(v)) rows.front().push_back(replay.name);
  const bool model = model_errors(v).has_value();
  if (model) rows.front().push_back("model");
  for (std::size_t index : by_error) {
    const ValidatedStep& one = v.cases[index];
    rows.push_back({"step " + one.step + ", replica " + std::to_string(one.replica.index()),
                    duration_text(one.measured)});
    for (const Replay& replay : every_replay(v))
      rows.back().push_back(signed_percent(one.*replay.span / one.measured - 1, 3));
    if (model) rows.back().push_back(signed_percent(*one.model / one.measured - 1, 3));
  }
  return rows;
}

Seconds mean_span(const Validation& v) {
  Seconds sum;
  for (const ValidatedStep& one : v.cases) sum += one.measured;
  return sum / static_cast<double>(v.cases.size());
}

template <class PartsOf>
Seconds mean_part(const Validation& v, std::size_t rank, Seconds Components::*part, PartsOf parts_of) {
  Seconds sum;
  for (const ValidatedStep& one : v.cases) sum += parts_of(one.ranks[rank]).*part;
  return sum / static_cast<double>(v.cases.size());
}

// Returns means over the cases, in % of the mean span: each component as measured, and the error of
// `parts_of`.
template <class PartsOf>
TableRows component_rows(const Validation& v, PartsOf parts_of) {
  const Seconds span = mean_span(v);
  TableRows rows = {{"% of the span"}};
  for (const ComponentName& name : kComponentNames)
    rows.front().insert(rows.front().end(), {name.text, "error"});
  rows.front().push_back("sum");
  for (std::size_t rank = 0; rank < v.ranks; ++rank) {
    rows.push_back({"rank " + std::to_string(rank)});
    double sum = 0;
    for (const ComponentName& name : kComponentNames) {
      const Seconds measured =
          mean_part(v, rank, name.part, [](const RankComponents& parts) { return parts.measured; });
      const double error = (mean_part(v, rank, name.part, parts_of) - measured) / span;
      sum += error;
      rows.back().push_back(fmt::format("{:.2f}", 100 * (measured / span)));
      rows.back().push_back(fmt::format("{:+.3f}", 100 * error));
    }
    rows.back().push_back(fmt::format("{:+.3f}", 100 * sum));
  }
  return rows;
}

// Returns the first column and the columns from `first` up to, not including, `end`.
TableRows columns_of(const TableRows& rows, std::size_t first, std::size_t end) {
  TableRows some;
  for (const auto& row : rows) {
    some.push_back({row.front()});
    for (std::size_t column = first; column < end; ++column) some.back().push_back(row[column]);
  }
  return some;
}

// Splits the table into two that fit the width of a line, without parting a component from its error.
std::string component_table(const TableRows& rows) {
  const std::size_t middle = 1 + 2 * (std::size(kComponentNames) - 1), all = rows.front().size();
  return table_text(columns_of(rows, 1, middle)) + table_text(columns_of(rows, middle, all));
}

void write_components(std::ostream& out, const Validation& v) {
  out << "\nparts of each rank's span (mean " << duration_text(mean_span(v))
      << "), each with the replay's error\n"
      << component_table(component_rows(v, [](const RankComponents& parts) { return parts.replayed; }));
  if (!model_errors(v)) return;
  out << "\nthe same parts, each with the model's error\n"
      << component_table(component_rows(v, [](const RankComponents& parts) { return *parts.model; }));
}

// A faster host would shorten the host gaps, but not the kernel time, so the table separates them.
void write_kernels(std::ostream& out, const Validation& v) {
  if (v.kernels.empty()) return;
  TableRows rows = {{"mean pass", "passes", "kernels", "span", "kernel time", "collective", "host gap"}};
  for (const MeanPass& pass : v.kernels)
    rows.push_back({fmt::format("rank {}, stage {}, {}", pass.rank, pass.stage, to_string(pass.kind)),
                    std::to_string(pass.passes), fmt::format("{:.0f}", pass.kernels),
                    duration_text(pass.span), duration_text(pass.kernel_busy), duration_text(pass.collective),
                    duration_text(pass.host_gap)});
  out << "\nparts of the mean pass\n" << table_text(rows);
}

void write_notes(std::ostream& out, const std::vector<Note>& notes) {
  if (!notes.empty()) out << "\nnotes\n";
  for (std::size_t i = 0; i < std::min(notes.size(), kMostNotes); ++i)
    out << wrapped("  - ", to_string(notes[i]), kTableColumns);
  if (notes.size() > kMostNotes) out << "  - and " << notes.size() - kMostNotes << " more (--json)\n";
}

}  // namespace

std::string verdict(const Validation& validation) {
  const auto words = [](const char* what, const ErrorSummary& errors) {
    return fmt::format("{} by {} on average, {} at most", what, percent(errors.mean_absolute, 3),
                       percent(errors.most_absolute, 3));
  };
  std::string text =
      words("the replay misses the measured span", span_errors(validation, &ValidatedStep::replayed));
  if (const auto model = model_errors(validation)) text += words("; the model", *model);
  return text + "; " + what_it_is(validation);
}

void write_trace_validation(std::ostream& out, const Validation& validation) {
  out << what_it_is(validation) << '\n'
      << wrapped("file:      ", file_names(validation), kTableColumns)
      << wrapped("schedule:  ", schedule_text(validation), kTableColumns)
      << wrapped("transfers: ", transfers_text(validation), kTableColumns) << '\n'
      << table_text(span_error_rows(validation)) << '\n'
      << table_text(worst_rows(validation));
  write_components(out, validation);
  write_kernels(out, validation);
  write_notes(out, validation.notes);
}

}  // namespace spillway
