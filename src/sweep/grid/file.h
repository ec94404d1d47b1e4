// A sweep: an experiment, and the values that some places of it take in turn. spillway/sweep/1, see `spillway
// schema sweep` and docs/studies.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "experiment/experiment.h"
#include "json/source.h"

namespace spillway {

// The most points a sweep may have.
inline constexpr std::uint64_t kMostPoints = 1'000'000;

// Const methods may be called from several threads at once.
class SweepFile {
 public:
  // Throws InputError with every violation: of the file, of an axis that leads nowhere, of a grid without a
  // point or with more than kMostPoints (counted before any is made, with what would cut it), and of the
  // experiment where no point of the grid makes one.
  explicit SweepFile(const Source& source);
  ~SweepFile();
  SweepFile(SweepFile&&) noexcept;

  const std::string& path() const;
  const std::string& name() const;
  std::uint32_t draws() const;
  std::uint64_t seed() const;

  // The columns of the grid: a JSON pointer into the experiment each, zipped ones one after another.
  const std::vector<std::string>& axes() const;
  // Points that the constraints leave, in grid order, the last axis fastest.
  std::size_t points() const;
  // By axis, as JSON text.
  std::vector<std::string> values(std::size_t point) const;
  // Is SimGrid to run it, too?
  bool replayed(std::size_t point) const;
  // Are SimGrid's makespans the sweep's, or only held beside the longest path's?
  bool reports_replays() const;

  // The point's experiment, draws and seed set, without idle keys. Throws InputError where it cannot be one.
  Experiment experiment(std::size_t point) const;

  // What changes nothing at any point: keys of the experiment, axes among them. Of a large grid a part is
  // looked at, spread over it.
  std::vector<IdleKey> idle_keys() const;

  // All keys, on that many threads; without it the first one that is asked for makes them on one.
  void make_keys(unsigned threads) const;
  // 32 hexadecimal digits of all that the result depends on besides the program: the point's document,
  // draws, seed, whether it is replayed, and the content of every file that it names. Equal keys, equal
  // outcomes.
  std::string key(std::size_t point) const;
  // 32 hexadecimal digits of the whole sweep: its grid and keys, in order.
  std::string identity() const;
  // The sweep with its experiment inside, as JSON text, to be kept with the results.
  std::string document() const;

 private:
  struct Grid;
  std::unique_ptr<const Grid> grid_;
};

}  // namespace spillway
