// Every table is ordered by its content, so equal contents have equal dumps, whatever the order of insertion.
#include "sweep/store/store_tables.h"

#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/Transaction.h>
#include <xxhash.h>

#include <map>
#include <optional>

#include "base/number.h"
#include "sweep/store/store_errors.h"

namespace spillway {
namespace {

// Both are in the file's header: the application, and the layout of its tables.
constexpr std::uint32_t kApplication = 0x5370'6c77;  // "Splw"
constexpr std::uint32_t kFormat = 1;

constexpr const char* kTables =
    "CREATE TABLE heading (field TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;"
    "CREATE TABLE grid (point INTEGER PRIMARY KEY, key TEXT NOT NULL, \"values\" TEXT NOT NULL);"
    "CREATE TABLE outcomes (key TEXT PRIMARY KEY, outcome BLOB NOT NULL) WITHOUT ROWID;";

constexpr const char* kSeal = "seal";

using Fields = std::map<std::string, std::string>;

// A checksum of texts in order. It also depends on where one text ends and the next begins.
class Seal {
 public:
  void add(std::string_view text) { sum_ = XXH3_64bits_withSeed(text.data(), text.size(), sum_); }
  void add(const Fields& fields) {
    for (const auto& [field, value] : fields) add(field), add(value);
  }
  std::string text() const { return std::to_string(sum_); }

 private:
  std::uint64_t sum_ = 0;
};

std::string axis_field(std::size_t axis) {
  return "axis " + std::to_string(axis);
}

Fields fields_of(const SweepHeading& heading) {
  Fields fields{{"sweep", heading.name},
                {"identity", heading.identity},
                {"program", heading.program},
                {"document", heading.document},
                {"draws", std::to_string(heading.draws)},
                {"seed", std::to_string(heading.seed)},
                {"reports replays", std::to_string(heading.reports_replays)}};
  for (std::size_t axis = 0; axis < heading.axes.size(); ++axis)
    fields[axis_field(axis)] = heading.axes[axis];
  return fields;
}

std::optional<SweepHeading> heading_of(const Fields& fields) {
  const auto field = [&](const std::string& name) {
    const auto found = fields.find(name);
    return found == fields.end() ? "" : found->second;
  };
  const auto draws = number_from<std::uint32_t>(field("draws"));
  const auto seed = number_from<std::uint64_t>(field("seed"));
  if (!draws || !seed) return std::nullopt;
  SweepHeading heading{field("sweep"),
                       field("identity"),
                       field("program"),
                       field("document"),
                       *draws,
                       *seed,
                       field("reports replays") == "1",
                       {}};
  while (fields.contains(axis_field(heading.axes.size())))
    heading.axes.push_back(field(axis_field(heading.axes.size())));
  return heading;
}

void add_point(Seal& seal, std::int64_t point, const std::string& key, const std::string& values) {
  seal.add(std::to_string(point));
  seal.add(key);
  seal.add(values);
}

void write_fields(SQLite::Database& database, const Fields& fields) {
  SQLite::Statement insert(database, "INSERT INTO heading VALUES (?, ?)");
  for (const auto& [field, value] : fields) {
    insert.bind(1, field);
    insert.bind(2, value);
    insert.exec();
    insert.reset();
  }
}

void write_grid(SQLite::Database& database, const std::vector<GridPoint>& grid, Seal& seal) {
  SQLite::Statement insert(database, "INSERT INTO grid VALUES (?, ?, ?)");
  for (std::size_t point = 0; point < grid.size(); ++point) {
    const std::string values = json_list(grid[point].values);
    add_point(seal, static_cast<std::int64_t>(point), grid[point].key, values);
    insert.bind(1, static_cast<std::int64_t>(point));
    insert.bind(2, grid[point].key);
    insert.bind(3, values);
    insert.exec();
    insert.reset();
  }
}

Fields read_fields(const SQLite::Database& database) {
  Fields fields;
  SQLite::Statement rows(database, "SELECT field, value FROM heading");
  while (rows.executeStep()) fields[rows.getColumn(0).getString()] = rows.getColumn(1).getString();
  return fields;
}

std::string seal_of(const SQLite::Database& database, const Fields& fields) {
  Seal seal;
  seal.add(fields);
  SQLite::Statement rows(database, "SELECT point, key, \"values\" FROM grid ORDER BY point");
  while (rows.executeStep()) {
    add_point(seal, rows.getColumn(0).getInt64(), rows.getColumn(1).getString(),
              rows.getColumn(2).getString());
  }
  return seal.text();
}

std::uint32_t pragma(const SQLite::Database& database, const std::string& name) {
  SQLite::Statement statement(database, "PRAGMA " + name);
  statement.executeStep();
  return statement.getColumn(0).getUInt();
}

void check_format(const SQLite::Database& database, const std::string& path) {
  if (pragma(database, "application_id") != kApplication)
    refuse_store(path, "a results store", "an SQLite database of another application");
  if (const std::uint32_t format = pragma(database, "user_version"); format != kFormat)
    refuse_store(path, "a results store of format " + std::to_string(kFormat),
                 "format " + std::to_string(format) + ", of another version of this program");
}

}  // namespace

void write_tables(SQLite::Database& database, const SweepHeading& heading,
                  const std::vector<GridPoint>& grid) {
  SQLite::Transaction transaction(database);
  database.exec("PRAGMA application_id = " + std::to_string(kApplication));
  database.exec("PRAGMA user_version = " + std::to_string(kFormat));
  database.exec(kTables);
  const Fields fields = fields_of(heading);
  Seal seal;
  seal.add(fields);
  write_grid(database, grid, seal);
  write_fields(database, fields);
  write_fields(database, {{kSeal, seal.text()}});
  transaction.commit();
}

SweepHeading read_heading(const SQLite::Database& database, const std::string& path) {
  check_format(database, path);
  Fields fields = read_fields(database);
  const auto seal = fields.extract(kSeal);
  std::optional<SweepHeading> heading = heading_of(fields);
  if (!heading || !seal || seal.mapped() != seal_of(database, fields))
    refuse_damaged(path, "a heading or grid whose checksum does not hold");
  return std::move(*heading);
}

std::string json_list(const std::vector<std::string>& elements) {
  std::string list = "[";
  for (const std::string& element : elements) list += (list.size() > 1 ? "," : "") + element;
  return list + "]";
}

std::vector<std::string> json_elements(std::string_view list) {
  std::vector<std::string> elements;
  int depth = 0;
  bool in_text = false;
  for (std::size_t at = 1; at + 1 < list.size(); ++at) {
    const char c = list[at];
    if (elements.empty()) elements.emplace_back();
    if (!in_text && depth == 0 && c == ',') {
      elements.emplace_back();
      continue;
    }
    elements.back() += c;
    if (in_text && c == '\\') elements.back() += list[++at];
    if (c == '"') in_text = !in_text;
    if (!in_text) depth += (c == '[' || c == '{') - (c == ']' || c == '}');
  }
  return elements;
}

}  // namespace spillway
