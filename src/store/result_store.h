// A sweep's results in one SQLite file (https://sqlite.org, write-ahead log): made to be interrupted at any
// moment, shared by processes, resumed and merged. What it holds does not depend on who wrote it, or when:
// equal sweeps, equal tables, to the byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sweep/point.h"

namespace spillway {

// What a store is of. Two stores of equal headings belong to one sweep.
struct StoreHeading {
  std::string sweep;     // its name
  std::string identity;  // SweepFile::identity
  std::string program;   // version that computes it
  std::string document;  // JSON
  std::uint32_t draws;
  std::uint64_t seed;
  bool reports_replays;
  std::vector<std::string> axes;  // JSON pointers

  friend bool operator==(const StoreHeading&, const StoreHeading&) = default;
};

struct GridPoint {
  std::string key;                  // SweepFile::key; points of equal keys share one outcome
  std::vector<std::string> values;  // by axis, JSON text

  friend bool operator==(const GridPoint&, const GridPoint&) = default;
};

struct KeyedOutcome {
  std::string key;
  PointOutcome outcome;
};

// Every method throws InputError, naming the file, where it is locked for longer than a writer takes, full,
// unreadable or corrupt; nothing that was put is lost then. One thread at a time.
class ResultStore {
 public:
  // A new store with its grid and no outcome. Throws InputError where there is a file already.
  static ResultStore create(const std::string& path, const StoreHeading& heading,
                            const std::vector<GridPoint>& grid);
  // Throws InputError where there is none, or the file is no store of this program's format.
  static ResultStore open(const std::string& path);
  ~ResultStore();
  ResultStore(ResultStore&&) noexcept;
  ResultStore& operator=(ResultStore&&) noexcept;

  const std::string& path() const;
  const StoreHeading& heading() const;
  // Throws InputError, saying of what sweep and program the store is, where it is not of `heading`.
  void require(const StoreHeading& heading) const;

  std::vector<GridPoint> grid() const;
  std::set<std::string> finished() const;  // keys that have an outcome
  std::optional<PointOutcome> find(const std::string& key) const;

  // All in one transaction, durable when it returns; a key that has an outcome keeps it.
  void put(const std::vector<KeyedOutcome>& outcomes);

  // Takes over the outcomes of another store of the same sweep. Throws InputError where the headings differ,
  // or the two hold different outcomes of one key.
  void merge(const ResultStore& other);

  // Points in grid order, those without an outcome with none.
  void for_each(const std::function<void(const GridPoint&, const std::optional<PointOutcome>&)>& visit) const;

  // Folds the write-ahead log into the file, so that it can be copied alone.
  void settle();

 private:
  struct Database;
  explicit ResultStore(std::unique_ptr<Database> database);
  std::unique_ptr<Database> database_;
};

}  // namespace spillway
