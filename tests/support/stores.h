// Small stores of sweeps for tests, their contents as text, and processes that use them.
#pragma once

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "base/error.h"
#include "support/temporary_folder.h"
#include "sweep/store/result_store.h"

namespace spillway::testing {

inline SweepHeading small_heading() {
  return {"study", "0123456789abcdef",
          "0.1.0", R"({"schema":"spillway/sweep/1"})",
          4,       7,
          false,   {"/pipeline/ranks", "/model/blocks/0/name"}};
}

// Returns keys as widely spread as a real sweep's.
inline std::string key_of(std::size_t point) {
  const unsigned long long spread = (point + 1) * 0x9e37'79b9'7f4a'7c15u;
  char key[33];
  std::snprintf(key, sizeof key, "%016llx%016llx", spread, spread * spread);
  return key;
}

inline std::vector<GridPoint> small_grid(std::size_t points) {
  std::vector<GridPoint> grid;
  for (std::size_t point = 0; point < points; ++point)
    grid.push_back({key_of(point), {std::to_string(point), R"("a, \"b\" [)"}});
  return grid;
}

// Returns three schedules of eight draws, or a refusal for every seventh point.
inline KeyedOutcome outcome_of(std::size_t point) {
  if (point % 7 == 6) return {key_of(point), {"needs more memory than there is"}};
  PointOutcome outcome;
  for (const char* name : {"mpipe", "1f1b", "zb-v"}) {
    std::vector<StepFigures> draws;
    for (std::size_t draw = 0; draw < 8; ++draw) {
      const double makespan = 1 / (1.0 + static_cast<double>(point + draw));
      draws.push_back({Seconds(makespan), 0.25, 0, StepSpill{Seconds(makespan / 3), Seconds()}});
    }
    outcome.schedules.push_back(spillway::outcome_of(name, draws));
  }
  return {key_of(point), outcome};
}

inline std::vector<KeyedOutcome> outcomes_of(std::size_t from, std::size_t to) {
  std::vector<KeyedOutcome> outcomes;
  for (std::size_t point = from; point < to; ++point) outcomes.push_back(outcome_of(point));
  return outcomes;
}

// Returns SQLite's integrity check and every row of every table, quoted as SQL.
inline std::string dump(const std::string& path) {
  SQLite::Database database(path, SQLite::OPEN_READWRITE);
  std::string text = database.execAndGet("PRAGMA integrity_check").getString() + '\n';
  for (const char* row : {"quote(field) || quote(value) FROM heading",
                          "quote(point) || quote(key) || quote(\"values\") FROM grid",
                          "quote(key) || quote(outcome) FROM outcomes"}) {
    SQLite::Statement rows(database, std::string("SELECT ") + row);
    while (rows.executeStep()) text += rows.getColumn(0).getString() + '\n';
  }
  return text;
}

// Returns the table that an export would see.
inline std::string table_of(const ResultStore& store) {
  std::string text;
  store.for_each([&](const GridPoint& point, const std::optional<PointOutcome>& outcome) {
    for (const std::string& value : point.values) text += value + ' ';
    text += outcome ? bytes_of(*outcome) : "none";
    text += '\n';
  });
  return text;
}

// Returns the dump of a store that was written without interruption.
inline std::string undisturbed_dump(const TemporaryFolder& folder, std::size_t points) {
  const std::string path = folder.file("undisturbed.sqlite");
  ResultStore::create(path, small_heading(), small_grid(points)).put(outcomes_of(0, points));
  return dump(path);
}

// Returns the first violation of the InputError that `work` throws, or "" if it throws none.
inline std::string refusal(const std::function<void()>& work) {
  try {
    work();
  } catch (const InputError& error) {
    return to_string(error.violations().front());
  }
  return "";
}

inline std::string bytes_in_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void write_file(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

// Runs `work` in a new process, which exits with 0 if `work` returns true. It prints an exception.
inline pid_t start_process(const std::function<bool()>& work) {
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child != 0) return child;
  try {
    ::_exit(work() ? 0 : 1);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    ::_exit(2);
  }
}

// Returns the process's exit status, or 128 plus the signal that ended it.
inline int end_of(pid_t child) {
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace spillway::testing
