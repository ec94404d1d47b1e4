#include "traces/formats/nsight_report.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <sqlite3.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "base/utf8.h"
#include "traces/formats/read_trace.h"

namespace spillway {
namespace {

using Names = std::set<std::string>;

constexpr std::string_view kSqlite = "SQLite format 3";

constexpr std::int64_t kLatestEpoch = 4'000'000'000'000'000'000;  // in ns: the year 2096
constexpr std::size_t kLongestName = 1000;
constexpr int kLongestValue = 1 << 20;  // in bytes; kernel names take thousands

// A report takes about ten steps of SQLite's machine per byte. A query that takes more than this many does
// not read rows, but multiplies tables without an index.
constexpr std::uint64_t kStepsPerByte = 100, kFewSteps = 100'000'000;
constexpr int kStepsBetweenLooks = 100'000;

// Replaces bytes that are not UTF-8 by '?'.
std::string text_at(SQLite::Statement& row, int column) {
  std::string text = row.getColumn(column).getString().substr(0, kLongestName);
  for (auto bad = first_invalid_utf8(text); bad; bad = first_invalid_utf8(text)) text[*bad] = '?';
  return text;
}

// The tables of a file from an unknown source. A real table has no more rows than the file holds, but a view
// may be endless.
class Tables {
 public:
  explicit Tables(const std::string& path)
      : database_(path, SQLite::OPEN_READONLY),
        looks_left_((kFewSteps + kStepsPerByte * size_of_file(path)) / kStepsBetweenLooks) {
    sqlite3_limit(database_.getHandle(), SQLITE_LIMIT_LENGTH, kLongestValue);
    sqlite3_progress_handler(database_.getHandle(), kStepsBetweenLooks, &Tables::is_too_long, this);
  }
  Tables(const Tables&) = delete;
  Tables& operator=(const Tables&) = delete;

  // Returns the columns; empty if there is no such table, or if it is a view.
  Names columns(const std::string& table) {
    Names names;
    SQLite::Statement row(database_,
                          "SELECT c.name FROM pragma_table_list AS t JOIN pragma_table_info(t.name) AS c "
                          "WHERE t.name = ? AND t.type = 'table'");
    row.bind(1, table);
    while (row.executeStep()) names.insert(row.getColumn(0).getString());
    return names;
  }

  template <class Take>
  void rows(const std::string& query, Take take) {
    SQLite::Statement row(database_, query);
    while (row.executeStep()) take(row);
  }

 private:
  static int is_too_long(void* tables) { return static_cast<Tables*>(tables)->looks_left_-- == 0; }

  SQLite::Database database_;
  std::uint64_t looks_left_;
};

// A session is shorter than 19 years, so other times are invalid.
constexpr const char* kInOrder = "\"end\" >= start AND start >= 0 AND \"end\" < 600000000000000000";

// The upper bits of a thread's number are the number of its process.
constexpr const char* kProcessOfThread = "globalTid >> 24";

class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path), tables_(path) {
    strings_ = !tables_.columns("StringIds").empty();
  }

  NsightReport read() && {
    const Names ranges = tables_.columns("NVTX_EVENTS");
    const Names kernels = tables_.columns("CUPTI_ACTIVITY_KIND_KERNEL");
    if (ranges.empty() && kernels.empty())
      throw InputError(
          {{path_, "/",
            "a report of Nsight Systems (nsys export --type sqlite), with a table NVTX_EVENTS or "
            "CUPTI_ACTIVITY_KIND_KERNEL",
            "a database with neither"}});
    if (!ranges.empty()) read_ranges(ranges);
    if (!kernels.empty()) read_kernels(kernels);
    for (const char* table : {"CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMSET"}) read_copies(table);
    read_launches();
    read_thread_names();
    if (tables_.columns("TARGET_INFO_GPU").contains("name"))
      tables_.rows("SELECT name FROM TARGET_INFO_GPU LIMIT 1",
                   [&](SQLite::Statement& row) { report_.device = text_at(row, 0); });
    if (tables_.columns("TARGET_INFO_SESSION_START_TIME").contains("utcEpochNs"))
      tables_.rows(
          "SELECT utcEpochNs FROM TARGET_INFO_SESSION_START_TIME LIMIT 1", [&](SQLite::Statement& row) {
            report_.epoch_ns = std::clamp<std::int64_t>(row.getColumn(0).getInt64(), 0, kLatestEpoch);
          });
    return std::move(report_);
  }

 private:
  NsightProcess& process(SQLite::Statement& row, int column) {
    return report_.processes[row.getColumn(column).getInt64()];
  }

  std::string named_by(const std::string& column) const {
    return strings_ ? "(SELECT value FROM StringIds WHERE id = " + column + ")" : "NULL";
  }

  void read_ranges(const Names& columns) {
    std::string name = columns.contains("text") ? "text" : "NULL";
    if (columns.contains("textId")) name = "COALESCE(" + name + ", " + named_by("textId") + ")";
    const bool of_threads = columns.contains("globalTid");
    const std::string of = of_threads ? kProcessOfThread : "0", thread = of_threads ? "globalTid" : "0";
    tables_.rows(
        "SELECT start, \"end\", " + name + ", " + of + ", " + thread + " FROM NVTX_EVENTS WHERE " + kInOrder +
            " ORDER BY start",
        [&](SQLite::Statement& row) {
          process(row, 3).ranges.push_back({{row.getColumn(0).getInt64(), row.getColumn(1).getInt64()},
                                            text_at(row, 2),
                                            row.getColumn(4).getInt64()});
        });
  }

  void read_kernels(const Names& columns) {
    const std::string name = columns.contains("shortName")       ? named_by("shortName")
                             : columns.contains("demangledName") ? named_by("demangledName")
                                                                 : "NULL";
    const auto or_zero = [&](const char* column) {
      return columns.contains(column) ? std::string(column) : std::string("0");
    };
    const std::string of = columns.contains("globalPid") ? "globalPid >> 24" : "0";
    tables_.rows(
        "SELECT start, \"end\", " + name + ", " + of + ", " + or_zero("streamId") + ", " +
            or_zero("correlationId") + " FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE " + kInOrder +
            " ORDER BY start",
        [&](SQLite::Statement& row) {
          process(row, 3).kernels.push_back({{row.getColumn(0).getInt64(), row.getColumn(1).getInt64()},
                                             text_at(row, 2),
                                             row.getColumn(4).getInt64(),
                                             row.getColumn(5).getInt64()});
        });
  }

  void read_copies(const std::string& table) {
    const Names columns = tables_.columns(table);
    if (!columns.contains("correlationId") || !columns.contains("globalPid")) return;
    tables_.rows(
        "SELECT start, \"end\", globalPid >> 24, correlationId FROM " + table + " WHERE " + kInOrder +
            " ORDER BY start",
        [&](SQLite::Statement& row) {
          process(row, 2).copies.push_back(
              {{row.getColumn(0).getInt64(), row.getColumn(1).getInt64()}, row.getColumn(3).getInt64()});
        });
  }

  void read_thread_names() {
    const Names columns = tables_.columns("ThreadNames");
    if (!strings_ || !columns.contains("nameId") || !columns.contains("globalTid")) return;
    tables_.rows(
        "SELECT globalTid, " + named_by("nameId") + " FROM ThreadNames",
        [&](SQLite::Statement& row) { report_.threads[row.getColumn(0).getInt64()] = text_at(row, 1); });
  }

  void read_launches() {
    const Names columns = tables_.columns("CUPTI_ACTIVITY_KIND_RUNTIME");
    if (!columns.contains("correlationId") || !columns.contains("globalTid")) return;
    tables_.rows(
        std::string("SELECT start, correlationId, ") + kProcessOfThread +
            ", globalTid FROM CUPTI_ACTIVITY_KIND_RUNTIME ORDER BY start",
        [&](SQLite::Statement& row) {
          process(row, 2).launches.push_back(
              {row.getColumn(0).getInt64(), row.getColumn(1).getInt64(), row.getColumn(3).getInt64()});
        });
  }

  std::string path_;
  Tables tables_;
  bool strings_ = false;
  NsightReport report_ = {};
};

}  // namespace

std::vector<std::string> nsight_reports(const std::string& path) {
  if (!is_folder(path))
    return beginning_of(path).starts_with(kSqlite) ? std::vector{path} : std::vector<std::string>();
  std::vector<std::string> paths;
  for (const auto& entry : entries_of(path))
    if (entry.filename().string().ends_with(".sqlite") && is_plain_file(entry))
      paths.push_back(entry.string());
  return paths;
}

NsightReport read_nsight_report(const std::string& path) {
  try {
    return Reader(path).read();
  } catch (const SQLite::Exception& error) {
    if (error.getErrorCode() == SQLITE_INTERRUPT)
      throw InputError({{path, "/", "tables whose reading time is proportional to their size",
                         "tables that take far longer"}});
    throw InputError({{path, "/", "an SQLite database that can be read", error.what()}});
  }
}

}  // namespace spillway
