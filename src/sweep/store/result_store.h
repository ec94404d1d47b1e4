// The results of a sweep in one SQLite file (https://sqlite.org, write-ahead log). It can be interrupted at
// any moment, shared by processes, resumed and merged. Its content does not depend on who wrote it, or when:
// equal sweeps have equal tables, byte for byte.
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
  std::string key;                  // SweepFile::key; points with equal keys share one outcome
  std::vector<std::string> values;  // by axis, JSON text

  friend bool operator==(const GridPoint&, const GridPoint&) = default;
};

struct KeyedOutcome {
  std::string key;
  PointOutcome outcome;
};

// How long a store waits for a lock of another process. Writers hold their lock for a batch of points.
inline constexpr std::chrono::milliseconds kPatience{30'000};
// The longest wait when a store is opened: nothing can be lost yet, and writers do not block readers.
inline constexpr std::chrono::milliseconds kFirstPatience{5'000};

// For reports that take points one by one: null if a point has no outcome yet.
inline const PointOutcome* pointer_to(const std::optional<PointOutcome>& outcome) {
  return outcome ? &*outcome : nullptr;
}

// Every method throws InputError, naming the file, if the file is full, unreadable, corrupt, or locked for
// longer than kPatience. Outcomes stored before are not lost then. One thread may use it at a time. A forked
// process may not use it, and ends by _exit. All processes on one store run on one machine, because
// write-ahead logs need shared memory.
class ResultStore {
 public:
  // Makes a new store with its grid and no outcome, completely or not at all. Throws InputError if the file
  // exists.
  static ResultStore create(const std::string& path, const SweepHeading& heading,
                            const std::vector<GridPoint>& grid);
  // Opens the store, or makes it if it does not exist. If several processes call it at once, one of them
  // makes the store. Throws InputError if the store has another heading.
  static ResultStore resume(const std::string& path, const SweepHeading& heading,
                            const std::vector<GridPoint>& grid);
  // Throws InputError if the file does not exist, or is no store in this program's format.
  static ResultStore open(const std::string& path, std::chrono::milliseconds patience = kPatience);
  // Only for const methods. Leaves the file as it is, with any log that a killed process left beside it.
  // Works in a folder that cannot be written.
  static ResultStore open_to_read(const std::string& path, std::chrono::milliseconds patience = kPatience);
  ~ResultStore();
  ResultStore(ResultStore&&) noexcept;
  ResultStore& operator=(ResultStore&&) noexcept;

  const std::string& path() const;
  const SweepHeading& heading() const;
  // Throws InputError with every field in which the store's heading differs.
  void require(const SweepHeading& heading) const;

  std::vector<GridPoint> grid() const;
  std::set<std::string> finished() const;  // keys that have an outcome
  bool has(const std::string& key) const;
  std::optional<PointOutcome> find(const std::string& key) const;

  // Puts all outcomes in one transaction, which is durable on return. A key that has an outcome keeps it.
  void put(const std::vector<KeyedOutcome>& outcomes);

  // Makes a new store with all outcomes of `stores`, which belong to one sweep, completely or not at all.
  // Throws InputError if the file exists, or for the reasons of merge().
  static void join(const std::string& path, const std::vector<std::string>& stores);

  // Takes over all outcomes of another store of the same sweep, or none. Throws InputError if the headings
  // differ, or if the stores have different outcomes for one key.
  void merge(const ResultStore& other);

  // Visits the points in grid order, one at a time, with nothing for points without an outcome. Memory does
  // not grow with the number of points. Leaves out outcomes that others put meanwhile.
  void for_each(const std::function<void(const GridPoint&, const std::optional<PointOutcome>&)>& visit) const;

  // Moves the write-ahead log into the file, so that the file can be copied alone. The last process that
  // closes the store does the same.
  void settle();

 private:
  struct Database;
  explicit ResultStore(std::unique_ptr<Database> database);
  // Writes all outcomes into another store's database, or none.
  void write_outcomes(SQLite::Database& target, const std::string& target_path) const;
  // Visits the outcomes in the order of keys. Throws InputError at a damaged one.
  void for_each_stored(
      const std::function<void(const std::string& key, std::string_view bytes)>& visit) const;

  std::unique_ptr<Database> database_;
};

}  // namespace spillway
