#include "traces/formats/trace_csv.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "base/csv.h"
#include "base/printable.h"
#include "traces/events/trace.h"
#include "traces/files/csv_table.h"
#include "traces/files/name_index.h"
#include "traces/formats/trace_formats.h"

namespace spillway {
namespace event_rows {
namespace {

enum Column : std::size_t { kStep, kReplica, kRank, kAction, kStart, kDuration, kName };
constexpr std::array<std::string_view, 7> kColumns = {"step",     "replica",     "rank", "action",
                                                      "start_us", "duration_us", "name"};
constexpr std::string_view kIndex = "a whole number below 65536";
constexpr std::string_view kSchedule = "schedule ";
constexpr std::string_view kDigits = "0123456789";

constexpr double kForeverUs = 1e17;  // three thousand years

struct Action {
  std::uint16_t stage;
  TraceKind kind;
  std::uint32_t microbatch;
};

std::optional<Action> action_from(std::string_view text) {
  const std::size_t word = std::min(text.find_first_not_of(kDigits), text.size());
  const std::size_t behind = text.find_last_not_of(kDigits) + 1;
  if (behind <= word) return std::nullopt;
  const auto kind = std::find(kTraceActions.begin(), kTraceActions.end(), text.substr(word, behind - word));
  const auto stage = number_from<std::uint16_t>(text.substr(0, word));
  const auto microbatch = behind == text.size() ? kUnknown : number_from<std::uint32_t>(text.substr(behind));
  if (kind == kTraceActions.end() || !stage || !microbatch) return std::nullopt;
  return Action{*stage, static_cast<TraceKind>(kind - kTraceActions.begin()), *microbatch};
}

class TraceCsvReader {
 public:
  explicit TraceCsvReader(const std::string& path) : table_(path, kColumns) {
    for (std::size_t kind = 0; kind < kTraceActions.size(); ++kind)
      names_[to_string(static_cast<TraceKind>(kind))];
  }

  Trace read() {
    read_comments();
    while (table_.next()) add_row();
    table_.require_end();
    table_.throw_if_any();
    if (trace_.events.empty()) throw InputError({{table_.path(), "/", "a row for each event", "no rows"}});
    trace_.files = {table_.path()};
    trace_.steps = steps_.texts();
    trace_.names = names_.texts();
    order_steps(trace_);
    normalise(trace_);
    return std::move(trace_);
  }

 private:
  [[noreturn]] void refuse_comment(const std::string& expected, const std::string& found) {
    throw InputError({{table_.path(), "# above the header", expected, in_quotes("# " + found)}});
  }

  void read_comments() {
    const std::string mark(kTraceCsvMark.substr(2));
    for (const std::string& comment : table_.comments()) {
      if (comment.starts_with(mark)) {
        read_mark(comment, mark.size());
      } else if (comment.starts_with(kSchedule)) {
        trace_.schedule = comment.substr(kSchedule.size());
      } else if (comment.starts_with("step ")) {
        read_origin(comment);
      } else if (!comment.empty()) {
        trace_.notes.push_back(note_from(comment));
      }
    }
    if (trace_.format.empty()) refuse_comment("# " + mark + " origin_s=... format=...", "");
  }

  // " origin_s=0 format=straggler-analysis"
  void read_mark(std::string_view comment, std::size_t begin) {
    constexpr std::string_view origin_key = " origin_s=", format_key = " format=";
    const std::string_view keys = comment.substr(begin);
    const std::size_t format = keys.find(format_key);
    const auto origin = keys.starts_with(origin_key) && format != std::string_view::npos
                            ? number_from<double>(keys.substr(origin_key.size(), format - origin_key.size()))
                            : std::nullopt;
    if (!origin || !std::isfinite(*origin) || format + format_key.size() == keys.size())
      refuse_comment("origin_s=SECONDS format=NAME", std::string(comment));
    trace_.origin_s = *origin;
    trace_.format = keys.substr(format + format_key.size());
  }

  // "step 23 at 1.5"
  void read_origin(const std::string& comment) {
    constexpr std::string_view key = "step ", at = " at ";
    const std::size_t behind = comment.rfind(at);
    const auto origin = behind == std::string::npos || behind < key.size()
                            ? std::nullopt
                            : number_from<double>(std::string_view(comment).substr(behind + at.size()));
    if (!origin || !std::isfinite(*origin)) refuse_comment("step NAME at SECONDS", comment);
    std::vector<std::string_view> name;
    split_csv(std::string_view(comment).substr(key.size(), behind - key.size()), name);
    origins_.resize(std::max<std::size_t>(origins_.size(), steps_[name[0]] + 1));
    origins_[steps_[name[0]]] = Seconds(*origin);
  }

  std::optional<Seconds> time(Column column, double least, std::string_view expected) {
    const auto value = table_.number<double>(column, expected);
    if (!value) return std::nullopt;
    if (std::abs(*value) < kForeverUs && *value >= least) return microseconds(*value);
    table_.refuse(column, expected);
    return std::nullopt;
  }

  void add_row() {
    const auto replica = table_.number<std::uint16_t>(kReplica, kIndex);
    const auto rank = table_.number<std::uint16_t>(kRank, kIndex);
    const auto action = action_from(table_.text(kAction));
    if (!action)
      table_.refuse(kAction,
                    "stage, F, B, I, W, SEND_F, RECV_F, SEND_B, RECV_B, COLLECTIVE or OPTIMIZER, microbatch");
    const auto start = time(kStart, std::numeric_limits<double>::lowest(), "microseconds");
    const auto duration = time(kDuration, 0, "microseconds, at least 0,");
    if (!(replica && rank && action && start && duration)) return;
    const std::uint32_t step = steps_[table_.text(kStep)];
    const Seconds origin = step < origins_.size() ? origins_[step] : Seconds(0);
    const std::string_view name = table_.text(kName);
    trace_.events.push_back({origin + *start, *duration, step, action->microbatch,
                             name.empty() ? static_cast<std::uint32_t>(action->kind) : names_[name], *replica,
                             *rank, action->stage, 0, action->kind});
  }

  CsvTable table_;
  Trace trace_;
  NameIndex steps_;
  NameIndex names_;               // begins with the kinds
  std::vector<Seconds> origins_;  // by step; 0 beyond the end
};

bool begins(std::string_view text) {
  return text.starts_with(kTraceCsvMark);
}

}  // namespace
}  // namespace event_rows

Trace read_trace_csv(const std::string& path) {
  using namespace event_rows;
  return TraceCsvReader(path).read();
}

extern const FileFormat kTraceCsv = {R"(a CSV file that begins with "# spillway/trace/1")",
                                     event_rows::begins, read_trace_csv};

}  // namespace spillway
