#include "sweep/store/result_store.h"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/Transaction.h>

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/text.h"
#include "sweep/store/store_errors.h"
#include "sweep/store/store_file.h"
#include "sweep/store/store_tables.h"

namespace spillway {
namespace {

// The bytes are valid until the statement's next step.
std::string_view bytes_in(const SQLite::Column& column) {
  return {static_cast<const char*>(column.getBlob()), static_cast<std::size_t>(column.getBytes())};
}

std::vector<Violation> with_remedy(std::vector<Violation> violations, const std::string& path,
                                   const std::string& key) {
  for (Violation& violation : violations)
    violation.found += ": remove it (sqlite3 " + path + " \"DELETE FROM outcomes WHERE key = '" + key +
                       "'\") and continue with --resume";
  return violations;
}

// SQLite finds a key by the order of keys and does not compare the found key itself. In a damaged table it
// could return a neighbour.
void require_key(const SQLite::Column& stored, const std::string& path, const std::string& key) {
  if (bytes_in(stored) != key) refuse_damaged(path, "keys out of order");
}

// Reads the outcome of a row from its key and its bytes.
PointOutcome outcome_in(const SQLite::Column& stored_key, const SQLite::Column& bytes,
                        const std::string& path, const std::string& key) {
  require_key(stored_key, path, key);
  try {
    return outcome_from(bytes_in(bytes));
  } catch (const InputError& error) {
    throw InputError(with_remedy(located(error.violations(), path, "/outcomes/" + key), path, key));
  }
}

// Returns true if the key had no outcome.
bool insert(SQLite::Statement& statement, const std::string& key, std::string_view bytes) {
  statement.bindNoCopy(1, key);
  statement.bindNoCopy(2, bytes.data(), static_cast<int>(bytes.size()));
  const bool inserted = statement.exec() == 1;
  statement.reset();
  return inserted;
}

constexpr const char* kInsert = "INSERT INTO outcomes VALUES (?, ?) ON CONFLICT DO NOTHING";
constexpr const char* kFind = "SELECT key, outcome FROM outcomes WHERE key = ?";

// The transaction of a writer. It waits for other writers at its beginning, so none of its statements waits.
struct Writing : SQLite::Transaction {
  explicit Writing(SQLite::Database& database)
      : Transaction(database, SQLite::TransactionBehavior::IMMEDIATE) {}
};

// Contract: the key has an outcome.
void require_same(const SQLite::Database& database, const std::string& path, const std::string& key,
                  std::string_view bytes, const std::string& other) {
  SQLite::Statement find(database, kFind);
  find.bindNoCopy(1, key);
  find.executeStep();
  if (bytes_in(find.getColumn(1)) == bytes) return;
  throw InputError({{path, "/outcomes/" + key, "the outcome that " + other + " has",
                     "another one; the same program and sweep give equal outcomes, so one of the stores has "
                     "a wrong heading"}});
}

// Collects the fields in which two headings differ.
class Differences {
 public:
  explicit Differences(const std::string& path) : path_(path) {}

  void add(const std::string& field, const std::string& expected, const std::string& found) {
    if (expected != found) found_.push_back({path_, "/heading/" + field, expected, found});
  }
  const std::vector<Violation>& found() const { return found_; }

 private:
  std::string path_;
  std::vector<Violation> found_;
};

std::string axes_text(const SweepHeading& heading) {
  return heading.axes.empty() ? "none" : joined(heading.axes);
}

std::string engine(const SweepHeading& heading) {
  return heading.reports_replays ? "simgrid" : "longest-path";
}

// Returns a violation for each field that differs, of the store at `path`; empty if the headings are equal.
// Compares the plain fields first. If one of them differs, the identity and the document add nothing.
std::vector<Violation> differences(const std::string& path, const SweepHeading& expected,
                                   const SweepHeading& found) {
  Differences all(path);
  all.add("sweep", "results of sweep " + expected.name, "results of sweep " + found.name);
  all.add("draws", counted(expected.draws, "draw"), counted(found.draws, "draw"));
  all.add("seed", "seed " + std::to_string(expected.seed), "seed " + std::to_string(found.seed));
  all.add("engine", engine(expected), engine(found));
  all.add("axes", axes_text(expected), axes_text(found));
  if (all.found().empty() && expected.identity != found.identity)
    all.add("identity", "results of this sweep (" + expected.identity + ")",
            "results of one of the same name (" + found.identity +
                "): the sweep, its experiment or a file that they name has changed; choose another --out");
  if (all.found().empty() && expected.document != found.document)
    all.add("document", "the sweep as it is",
            "the same points with other names or notes: restore these, or choose another --out");
  all.add("program", "results of version " + expected.program, "results of version " + found.program);
  return all.found();
}

void place_new(const std::string& path, const std::function<void(SQLite::Database&)>& fill) {
  if (!place_database(path, fill))
    refuse_store(path, "a new file", "an existing file: continue it with --resume, or choose another --out");
}

}  // namespace

struct ResultStore::Database {
  std::string path;
  SQLite::Database connection;
  SweepHeading heading;
};

ResultStore::ResultStore(std::unique_ptr<Database> database) : database_(std::move(database)) {}
ResultStore::~ResultStore() = default;
ResultStore::ResultStore(ResultStore&&) noexcept = default;
ResultStore& ResultStore::operator=(ResultStore&&) noexcept = default;

ResultStore ResultStore::create(const std::string& path, const SweepHeading& heading,
                                const std::vector<GridPoint>& grid) {
  place_new(path, [&](SQLite::Database& database) { write_tables(database, heading, grid); });
  return open(path);
}

ResultStore ResultStore::resume(const std::string& path, const SweepHeading& heading,
                                const std::vector<GridPoint>& grid) {
  place_database(path, [&](SQLite::Database& database) { write_tables(database, heading, grid); });
  ResultStore store = open(path);
  store.require(heading);
  return store;
}

ResultStore ResultStore::open(const std::string& path, std::chrono::milliseconds patience) {
  SQLite::Database connection = open_database(path, std::min(patience, kFirstPatience));
  return on_store(path, [&] {
    connection.exec("PRAGMA synchronous = FULL");
    SweepHeading heading = read_heading(connection, path);
    connection.setBusyTimeout(static_cast<int>(patience.count()));
    return ResultStore(std::make_unique<Database>(path, std::move(connection), std::move(heading)));
  });
}

ResultStore ResultStore::open_to_read(const std::string& path, std::chrono::milliseconds patience) {
  SQLite::Database connection = open_database_to_read(path, std::min(patience, kFirstPatience));
  return on_store(path, [&] {
    SweepHeading heading = read_heading(connection, path);
    connection.setBusyTimeout(static_cast<int>(patience.count()));
    return ResultStore(std::make_unique<Database>(path, std::move(connection), std::move(heading)));
  });
}

const std::string& ResultStore::path() const {
  return database_->path;
}

const SweepHeading& ResultStore::heading() const {
  return database_->heading;
}

void ResultStore::require(const SweepHeading& heading) const {
  std::vector<Violation> violations = differences(path(), heading, this->heading());
  if (!violations.empty()) throw InputError(std::move(violations));
}

std::vector<GridPoint> ResultStore::grid() const {
  return on_store(path(), [&] {
    std::vector<GridPoint> points;
    SQLite::Statement rows(database_->connection, "SELECT key, \"values\" FROM grid ORDER BY point");
    while (rows.executeStep())
      points.push_back({rows.getColumn(0).getString(), json_elements(rows.getColumn(1).getString())});
    return points;
  });
}

std::set<std::string> ResultStore::finished() const {
  return on_store(path(), [&] {
    std::set<std::string> keys;
    SQLite::Statement rows(database_->connection, "SELECT key FROM outcomes ORDER BY key");
    while (rows.executeStep()) keys.insert(keys.end(), rows.getColumn(0).getString());
    return keys;
  });
}

bool ResultStore::has(const std::string& key) const {
  return on_store(path(), [&] {
    SQLite::Statement row(database_->connection, kFind);
    row.bindNoCopy(1, key);
    return row.executeStep();
  });
}

std::optional<PointOutcome> ResultStore::find(const std::string& key) const {
  return on_store(path(), [&]() -> std::optional<PointOutcome> {
    SQLite::Statement row(database_->connection, kFind);
    row.bindNoCopy(1, key);
    if (!row.executeStep()) return std::nullopt;
    return outcome_in(row.getColumn(0), row.getColumn(1), path(), key);
  });
}

void ResultStore::put(const std::vector<KeyedOutcome>& outcomes) {
  on_store(path(), [&] {
    Writing writing(database_->connection);
    SQLite::Statement statement(database_->connection, kInsert);
    for (const auto& [key, outcome] : outcomes) insert(statement, key, bytes_of(outcome));
    writing.commit();
  });
}

void ResultStore::join(const std::string& path, const std::vector<std::string>& stores) {
  const ResultStore first = open_to_read(stores.front());
  for (const std::string& store : stores) open_to_read(store).require(first.heading());
  place_new(path, [&](SQLite::Database& database) {
    write_tables(database, first.heading(), first.grid());
    for (const std::string& store : stores) open_to_read(store).write_outcomes(database, path);
  });
}

void ResultStore::merge(const ResultStore& other) {
  other.require(heading());
  on_store(path(), [&] { other.write_outcomes(database_->connection, path()); });
}

void ResultStore::write_outcomes(SQLite::Database& target, const std::string& target_path) const {
  Writing writing(target);
  SQLite::Statement statement(target, kInsert);
  for_each_stored([&](const std::string& key, std::string_view bytes) {
    if (!insert(statement, key, bytes)) require_same(target, target_path, key, bytes, path());
  });
  writing.commit();
}

void ResultStore::for_each_stored(
    const std::function<void(const std::string& key, std::string_view bytes)>& visit) const {
  SQLite::Statement rows = on_store(path(), [&] {
    return SQLite::Statement(database_->connection, "SELECT key, outcome FROM outcomes ORDER BY key");
  });
  while (on_store(path(), [&] { return rows.executeStep(); })) {
    const std::string key = rows.getColumn(0).getString();
    outcome_in(rows.getColumn(0), rows.getColumn(1), path(), key);
    visit(key, bytes_in(rows.getColumn(1)));
  }
}

void ResultStore::for_each(
    const std::function<void(const GridPoint&, const std::optional<PointOutcome>&)>& visit) const {
  on_store(path(), [&] {
    SQLite::Statement rows(
        database_->connection,
        "SELECT grid.key, \"values\", outcomes.key, outcome FROM grid LEFT JOIN outcomes ON "
        "outcomes.key = grid.key ORDER BY point");
    while (rows.executeStep()) {
      const GridPoint point{rows.getColumn(0).getString(), json_elements(rows.getColumn(1).getString())};
      std::optional<PointOutcome> outcome;
      if (!rows.isColumnNull(2))
        outcome = outcome_in(rows.getColumn(2), rows.getColumn(3), path(), point.key);
      visit(point, outcome);
    }
  });
}

void ResultStore::settle() {
  on_store(path(), [&] {
    SQLite::Statement checkpoint(database_->connection, "PRAGMA wal_checkpoint(TRUNCATE)");
    checkpoint.executeStep();
    const bool blocked = checkpoint.getColumn(0).getInt() != 0;
    if (blocked) refuse_locked(path());
  });
}

}  // namespace spillway
