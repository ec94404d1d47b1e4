// A sweep's results in one SQLite file (https://sqlite.org, write-ahead log): made to be interrupted at any
// moment, shared by processes, resumed and merged. What it holds does not depend on who wrote it, or when:
// equal sweeps, equal tables, to the byte.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "evaluate/point.h"
#include "sweep/grid/heading.h"

namespace SQLite {
class Database;
}

namespace spillway {

struct GridPoint {
  std::string key;                  // SweepFile::key; points of equal keys share one outcome
  std::vector<std::string> values;  // by axis, JSON text

  friend bool operator==(const GridPoint&, const GridPoint&) = default;
};

struct KeyedOutcome {
  std::string key;
  PointOutcome outcome;
};

// How long a store waits for a lock that another process holds: writers hold theirs for a batch of points.
inline constexpr std::chrono::milliseconds kPatience{30'000};
// At most so long when it is opened: there is nothing to lose yet, and writers do not keep readers out.
inline constexpr std::chrono::milliseconds kFirstPatience{5'000};

// For reports that are given points one by one, null where a point has no outcome yet.
inline const PointOutcome* pointer_to(const std::optional<PointOutcome>& outcome) {
  return outcome ? &*outcome : nullptr;
}

// Every method throws InputError, naming the file, where it is locked for longer than a writer takes, full,
// unreadable or corrupt; nothing that was put is lost then. One thread at a time, and no use in a process
// that was forked with it: such a process ends by _exit. Write-ahead logs need memory that their users share,
// so all processes on one store are on one machine.
class ResultStore {
 public:
  // A new store with its grid and no outcome, whole or not at all. Throws InputError where there is a file
  // already.
  static ResultStore create(const std::string& path, const SweepHeading& heading,
                            const std::vector<GridPoint>& grid);
  // The store where there is one, else a new one; of several processes that call it at once one makes it.
  // Throws InputError where there is one that is not of `heading`.
  static ResultStore resume(const std::string& path, const SweepHeading& heading,
                            const std::vector<GridPoint>& grid);
  // Throws InputError where there is none, or the file is no store of this program's format.
  static ResultStore open(const std::string& path, std::chrono::milliseconds patience = kPatience);
  // For const methods alone. Leaves the file as it is, with a log that a killed process left beside it, and
  // works in a folder that cannot be written.
  static ResultStore open_to_read(const std::string& path, std::chrono::milliseconds patience = kPatience);
  ~ResultStore();
  ResultStore(ResultStore&&) noexcept;
  ResultStore& operator=(ResultStore&&) noexcept;

  const std::string& path() const;
  const SweepHeading& heading() const;
  // Throws InputError where the store is not of `heading`, with every field in which it differs.
  void require(const SweepHeading& heading) const;

  std::vector<GridPoint> grid() const;
  std::set<std::string> finished() const;  // keys that have an outcome
  bool has(const std::string& key) const;
  std::optional<PointOutcome> find(const std::string& key) const;

  // All in one transaction, durable when it returns; a key that has an outcome keeps it.
  void put(const std::vector<KeyedOutcome>& outcomes);

  // A new store of the sweep of the given ones with all their outcomes, whole or not at all. Throws
  // InputError where there is a file already, or merge() would.
  static void join(const std::string& path, const std::vector<std::string>& stores);

  // Takes over the outcomes of another store of the same sweep, all or none. Throws InputError where the
  // headings differ, or the two hold different outcomes of one key.
  void merge(const ResultStore& other);

  // Points in grid order, those without an outcome with none; one at a time, however many there are. What
  // others put meanwhile is left out.
  void for_each(const std::function<void(const GridPoint&, const std::optional<PointOutcome>&)>& visit) const;

  // Folds the write-ahead log into the file, so that it can be copied alone. So does the last process that
  // closes it.
  void settle();

 private:
  struct Database;
  explicit ResultStore(std::unique_ptr<Database> database);
  // Into another store's database, all or none.
  void write_outcomes(SQLite::Database& target, const std::string& target_path) const;
  // In the order of keys; only what is whole.
  void for_each_stored(
      const std::function<void(const std::string& key, std::string_view bytes)>& visit) const;

  std::unique_ptr<Database> database_;
};

}  // namespace spillway
