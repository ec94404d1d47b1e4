// A sweep: an experiment, and lists of values for some of its places. Its format is spillway/sweep/1; see
// `spillway schema sweep` and docs/studies.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "experiment/experiment.h"
#include "json/source.h"

namespace spillway {

// The largest number of points of a sweep.
inline constexpr std::uint64_t kMostPoints = 1'000'000;

// Several threads may call const methods at once.
class SweepFile {
 public:
  // Throws InputError with every violation: of the file, of an axis that leads nowhere, of a grid without
  // points, and of the experiment if no point of the grid makes one. A grid with more than kMostPoints is
  // refused before a point is made; the message says how to reduce it.
  explicit SweepFile(const Source& source);
  ~SweepFile();
  SweepFile(SweepFile&&) noexcept;

  const std::string& path() const;
  const std::string& name() const;
  std::uint32_t draws() const;
  std::uint64_t seed() const;

  // The columns of the grid: a JSON pointer into the experiment for each axis. Zipped axes follow one
  // another.
  const std::vector<std::string>& axes() const;
  // The number of points that meet the constraints. Points are in grid order; the last axis runs fastest.
  std::size_t points() const;
  // The values of the point by axis, as JSON text.
  std::vector<std::string> values(std::size_t point) const;
  // Returns true if SimGrid also runs the point.
  bool replayed(std::size_t point) const;
  // Returns true if the sweep reports SimGrid's makespans. If false, they are only compared with those of the
  // longest path.
  bool reports_replays() const;

  // The point's experiment with draws and seed set, without idle keys. Throws InputError if the point is
  // impossible.
  Experiment experiment(std::size_t point) const;

  // The keys of the experiment, including axes, that change nothing at any point. For a large grid it tries a
  // part of the points, spread over the grid.
  std::vector<IdleKey> idle_keys() const;

  // Makes all keys on that many threads. Without this call, the first request for a key makes all keys on one
  // thread.
  void make_keys(unsigned threads) const;
  // 32 hexadecimal digits of everything that the result depends on, except the program: the point's document,
  // draws and seed, whether it is replayed, and the content of every file that it names. Points with equal
  // keys have equal outcomes.
  std::string key(std::size_t point) const;
  // 32 hexadecimal digits of the whole sweep: its grid, and its keys in order.
  std::string identity() const;
  // The sweep with its experiment inside, as JSON text. It is kept with the results.
  std::string document() const;

 private:
  struct Grid;
  std::unique_ptr<const Grid> grid_;
};

}  // namespace spillway
