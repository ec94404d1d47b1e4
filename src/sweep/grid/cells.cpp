#include "sweep/grid/cells.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "json/content_digest.h"
#include "sweep/grid/constraint.h"

namespace spillway {
namespace {

std::vector<std::size_t> sampled(std::vector<std::size_t> cells, std::size_t count, std::uint64_t seed) {
  const auto lot = [seed](std::size_t cell) {
    std::string bytes;
    append_bytes(seed, bytes);
    append_bytes(cell, bytes);
    return std::pair(digest_of(bytes).high, cell);
  };
  if (count >= cells.size()) return cells;
  std::nth_element(cells.begin(), cells.begin() + static_cast<std::ptrdiff_t>(count), cells.end(),
                   [&](std::size_t a, std::size_t b) { return lot(a) < lot(b); });
  cells.resize(count);
  std::sort(cells.begin(), cells.end());
  return cells;
}

}  // namespace

std::vector<std::size_t> read_cells(const Place& place, const SweepGrid& grid, const SweepBase& base,
                                    const std::vector<std::size_t>& cells) {
  const auto constraints = read_constraints(place, grid, base.document);
  if (!constraints) return {};
  std::vector<std::size_t> met;
  std::copy_if(cells.begin(), cells.end(), std::back_inserter(met), [&](std::size_t cell) {
    return std::all_of(constraints->begin(), constraints->end(),
                       [&](const SweepConstraint& one) { return one.holds(grid, cell); });
  });
  if (met.empty() && !cells.empty())
    place.findings->add(place.pointer, "constraints that at least one point meets",
                        "none of " + std::to_string(cells.size()) + " that does");
  return met;
}

std::vector<std::size_t> read_replays(const Place& place, const SweepGrid& grid, const SweepBase& base,
                                      const std::vector<std::size_t>& cells) {
  const Fields fields(place, {"sample", "where"});
  if (const auto where = fields.at("where")) {
    fields.forbid("sample", "no such key beside where");
    return read_cells(*where, grid, base, cells);
  }
  const auto sample = fields.need("sample", [](const Place& p) { return read_count(p); });
  return sample ? sampled(cells, *sample, base.seed) : std::vector<std::size_t>{};
}

}  // namespace spillway
