// Reads the traces of ByteDance's straggler analysis (github.com/ByteDance-Seed/StragglerAnalysis). They have
// a row for each operation of a rank, with times in seconds from the start of its step.
//
// Columns are dp_rank,stage,rank,step,optype,start_ts,duration,seq_id,mc,mb_id,gmc in any order. `stage` is
// the rank in the pipeline and `rank` the global one; -1 means none. Rows come in any order. Transfers name
// no microbatch, so the seq_id-th of its kind on a rank counts as microbatch seq_id. This holds if ranks have
// one chunk of the model. Unknown types are kept as Host and counted. Rows with a negative duration or
// without finite times are dropped and counted. The reader refuses, by line, missing fields, fields that are
// no numbers, and two global ranks in one place.

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "base/csv.h"
#include "base/printable.h"
#include "traces/events/trace.h"
#include "traces/files/csv_table.h"
#include "traces/files/name_index.h"
#include "traces/formats/trace_formats.h"

namespace spillway {
namespace straggler {
namespace {

enum Column : std::size_t {
  kReplica,
  kStage,
  kRank,
  kStep,
  kType,
  kStart,
  kDuration,
  kSequence,
  kChunk,
  kMicrobatch,
  kSlab
};
constexpr std::array<std::string_view, 11> kColumns = {
    "dp_rank", "stage", "rank", "step", "optype", "start_ts", "duration", "seq_id", "mc", "mb_id", "gmc"};

constexpr std::array<std::pair<std::string_view, TraceKind>, 14> kTypes = {{
    {"forward-compute", TraceKind::Forward},
    {"backward-compute", TraceKind::Backward},
    {"forward-send", TraceKind::SendForward},
    {"forward-recv", TraceKind::ReceiveForward},
    {"backward-send", TraceKind::SendBackward},
    {"backward-recv", TraceKind::ReceiveBackward},
    {"params-all-gather", TraceKind::Collective},
    {"grads-reduce-scatter", TraceKind::Collective},
    {"grads-all-reduce", TraceKind::Collective},
    {"embedding-grads-all-reduce", TraceKind::Collective},
    {"layernorm-grads-all-reduce", TraceKind::Collective},
    {"optimizer", TraceKind::Host},
    {"optimizer-clip-main-grad", TraceKind::Host},
    {"gc", TraceKind::Host},
}};

constexpr std::string_view kIndex = "a whole number below 65536";
constexpr std::string_view kIndexOrNone = "a whole number of at least -1 and of a possible size,";
constexpr std::int32_t kMostStage = 0xffff;

// Returns true for a finite time within three thousand years, which is far beyond any clock and exact in
// sums.
bool is_time(double seconds) {
  return std::abs(seconds) < 1e11;
}

// Counts the rows of one kind, with the place of the first.
struct RowTally {
  std::size_t count = 0;
  std::string first;

  void add(const CsvTable& table) {
    if (count++ == 0) first = table.place();
  }
  void note_in(Trace& trace, NoteKind kind, const std::string& what) const {
    if (count > 0) trace.notes.push_back({kind, count, what + " (first at " + first + ")"});
  }
};

class StragglerReader {
 public:
  explicit StragglerReader(const std::string& path) : table_(path, kColumns) {}

  Trace read() {
    while (table_.next()) {
      ++rows_;
      add_row();
    }
    table_.throw_if_any();
    return finished();
  }

 private:
  // NaN if the field is empty, because table libraries write missing values so. Nothing if it is no number.
  std::optional<double> time(Column column) {
    if (table_.text(column).empty()) return std::nan("");
    return table_.number<double>(column, "seconds");
  }

  // The index, or -1 if the file has none. Nothing if it is out of range.
  std::optional<std::int32_t> index(Column column) {
    const auto value = table_.number<std::int32_t>(column, kIndexOrNone);
    const bool fits = value && *value >= -1 && (column != kSlab || *value <= kMostStage);
    if (value && !fits) table_.refuse(column, kIndexOrNone);
    return fits ? value : std::nullopt;
  }

  void add_row() {
    const auto replica = table_.number<std::uint16_t>(kReplica, kIndex);
    const auto stage = table_.number<std::uint16_t>(kStage, kIndex);
    const auto global = table_.number<std::uint32_t>(kRank, "a whole number");
    const auto start = time(kStart), duration = time(kDuration);
    const auto sequence = index(kSequence), chunk = index(kChunk), microbatch = index(kMicrobatch),
               slab = index(kSlab);
    if (!(replica && stage && global && start && duration && sequence && chunk && microbatch && slab)) return;
    if (!alone_in_place(*replica, *stage, *global)) return;
    if (!is_time(*start) || !is_time(*duration)) return timeless_.add(table_);
    if (*duration < 0) return negative_.add(table_);
    if (*chunk > 0) chunked_ = true;

    const std::uint32_t name = type();
    const TraceKind kind = kinds_[name];
    const std::int32_t number = is_transfer(kind) && *microbatch < 0 ? *sequence : *microbatch;
    if (is_transfer(kind) && *microbatch < 0) ++numbered_;
    trace_.events.push_back({Seconds(*start), Seconds(*duration), steps_[table_.text(kStep)],
                             number < 0 ? kUnknown : static_cast<std::uint32_t>(number), name, *replica,
                             *stage, *slab < 0 ? *stage : static_cast<std::uint16_t>(*slab), 0, kind});
  }

  // Two ranks in one place of the pipeline, for example of a tensor-parallel group, would count twice.
  bool alone_in_place(std::uint16_t replica, std::uint16_t stage, std::uint32_t global) {
    const std::uint32_t place = std::uint32_t{replica} << 16 | stage;
    const std::uint32_t first = occupants_.try_emplace(place, global).first->second;
    if (first != global)
      table_.refuse("one rank for each dp_rank and stage",
                    "ranks " + std::to_string(first) + " and " + std::to_string(global) + " of dp_rank " +
                        std::to_string(replica) + ", stage " + std::to_string(stage));
    return first == global;
  }

  // Returns the index of the row's type among the names. Records the kind of a new type.
  std::uint32_t type() {
    const std::string_view text = table_.text(kType);
    const std::uint32_t name = names_[text];
    if (name == kinds_.size()) {
      const auto known =
          std::find_if(kTypes.begin(), kTypes.end(), [&](const auto& type) { return type.first == text; });
      kinds_.push_back(known == kTypes.end() ? TraceKind::Host : known->second);
      strange_.push_back({});
      is_strange_.push_back(known == kTypes.end());
    }
    if (is_strange_[name]) strange_[name].add(table_);
    return name;
  }

  Trace finished() {
    if (trace_.events.empty())
      throw InputError({{table_.path(), "/", "a row with finite times and a duration of at least 0",
                         rows_ == 0 ? "no rows" : std::to_string(rows_) + " others"}});
    trace_.format = "straggler-analysis";
    trace_.files = {table_.path()};
    trace_.steps = steps_.texts();
    trace_.names = names_.texts();
    begin_at_zero();
    add_notes();
    order_steps(trace_);
    normalise(trace_);
    return std::move(trace_);
  }

  void begin_at_zero() {
    const auto& events = trace_.events;
    const auto first = std::min_element(events.begin(), events.end(),
                                        [](const auto& a, const auto& b) { return a.start < b.start; });
    const Seconds origin = first->start;
    trace_.origin_s = origin.value();
    for (TraceEvent& event : trace_.events) event.start -= origin;
  }

  void add_notes() {
    trace_.notes.push_back({NoteKind::Read, rows_, "rows"});
    negative_.note_in(trace_, NoteKind::Dropped, "rows with a negative duration");
    timeless_.note_in(trace_, NoteKind::Dropped, "rows without a finite start and duration");
    for (std::size_t name = 0; name < strange_.size(); ++name)
      strange_[name].note_in(
          trace_, NoteKind::Guessed,
          "rows of the unknown type " + in_quotes(names_.texts()[name]) + " that count as host time");
    if (numbered_ == 0) return;
    if (!chunked_) {
      trace_.notes.push_back({NoteKind::Guessed, numbered_, "transfers with the microbatch of their seq_id"});
      return;
    }
    for (TraceEvent& event : trace_.events)
      if (is_transfer(event.kind)) event.microbatch = kUnknown;
    trace_.notes.push_back({NoteKind::Missing, numbered_,
                            "transfers without microbatch and chunk, since ranks have several chunks"});
  }

  CsvTable table_;
  Trace trace_;
  NameIndex steps_;
  NameIndex names_;
  std::vector<TraceKind> kinds_;                                // by name
  std::vector<bool> is_strange_;                                // by name
  std::vector<RowTally> strange_;                               // by name
  std::unordered_map<std::uint32_t, std::uint32_t> occupants_;  // replica and stage -> global rank
  std::size_t rows_ = 0;
  std::size_t numbered_ = 0;  // transfers whose microbatch is their seq_id
  bool chunked_ = false;
  RowTally negative_;
  RowTally timeless_;
};

Trace read(const std::string& path) {
  return StragglerReader(path).read();
}

bool begins(std::string_view text) {
  std::vector<std::string_view> columns;
  split_csv(text.substr(0, text.find_first_of("\r\n")), columns);
  return std::find(columns.begin(), columns.end(), kColumns[kType]) != columns.end();
}

}  // namespace
}  // namespace straggler

extern const FileFormat kStragglerCsv = {"a CSV file with a column optype", straggler::begins,
                                         straggler::read};

}  // namespace spillway
