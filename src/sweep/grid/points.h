// The points of a sweep: the base experiment with the values of a cell set, made anew whenever it is asked
// for. Private to src/sweep/grid.
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

// Const methods may be called from several threads at once. Files are as they were when a point first named
// them.
class SweepPoints {
 public:
  // `cells` are the points, `replayed` those of them that SimGrid runs; both ascending.
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

  // Without idle keys. Throws InputError, by the experiment's own pointers.
  Experiment experiment(std::size_t point) const;
  Digest key(std::size_t point) const;

  // Those of the points that can be that all of them share; see SweepFile.
  std::vector<IdleKey> idle_keys() const;

  // Throws InputError, by the pointers of the sweep file `path`, where no point makes an experiment. Of a
  // large grid a part is tried, spread over it, and only what is wrong with every one of these counts.
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
