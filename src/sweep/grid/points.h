// The points of a sweep: the base experiment with the values of a cell. A point is made again whenever it is
// needed. Private to src/sweep/grid.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/findings.h"
#include "experiment/experiment.h"
#include "json/content_digest.h"
#include "json/file_memory.h"
#include "sweep/grid/axes.h"
#include "sweep/grid/base.h"

namespace spillway {

// Several threads may call const methods at once. The content of a file stays as it was when a point first
// named it.
class SweepPoints {
 public:
  // `cells` are the points. `replayed` are the points that SimGrid runs. Both are ascending.
  SweepPoints(SweepBase base, SweepGrid grid, std::vector<std::size_t> cells,
              std::vector<std::size_t> replayed)
      : base_(std::move(base)),
        grid_(std::move(grid)),
        cells_(std::move(cells)),
        replayed_(std::move(replayed)) {}

  const SweepBase& base() const { return base_; }
  const SweepGrid& grid() const { return grid_; }
  const std::vector<std::size_t>& cells() const { return cells_; }
  bool replayed(std::size_t point) const;

  // Returns the experiment without idle keys. Throws InputError with pointers into the experiment.
  Experiment experiment(std::size_t point) const;
  Digest key(std::size_t point) const;

  // The idle keys that all possible points share; see SweepFile.
  std::vector<IdleKey> idle_keys() const;

  // Throws InputError, with pointers into the sweep file `path`, if no point makes an experiment. For a large
  // grid it tries a part of the points, spread over the grid, and reports only the violations that all of
  // these share.
  void require_possible(const std::string& path) const;

 private:
  Experiment with_idle_keys(std::size_t point) const;
  Node document(std::size_t point, Findings& findings) const;
  std::vector<Violation> wrong_with(std::size_t point, const std::string& path) const;
  Violation seen_from(const std::string& path, Violation violation, std::size_t point) const;

  SweepBase base_;
  SweepGrid grid_;
  std::vector<std::size_t> cells_;
  std::vector<std::size_t> replayed_;
  std::unique_ptr<FileMemory> memory_ = std::make_unique<FileMemory>();
};

}  // namespace spillway
