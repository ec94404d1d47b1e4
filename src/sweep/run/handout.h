// Records which rank holds which points of a round. A lost rank gives its points back.
#pragma once

#include <cstddef>
#include <deque>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace spillway {

class Handout {
 public:
  // Holders are numbered 0 ... holders - 1. Contract: points are distinct.
  Handout(const std::vector<std::size_t>& points, std::size_t holders);

  // Returns up to `wanted` points, in the order given. Towards the end it returns fewer, so that all holders
  // end together. Returns none if every point is held or finished.
  std::vector<std::size_t> take(std::size_t holder, std::size_t wanted);
  // Returns true if this is the first outcome of a point that was handed out. The caller drops other
  // outcomes.
  bool finish(std::size_t holder, std::size_t point);
  // Gives the points of `holder` to the holders that take next. `holder` may still finish them first.
  void lose(std::size_t holder);

  bool finished() const { return unfinished_ == 0; }

 private:
  bool returned_and_finished(std::size_t point) const;

  std::deque<std::size_t> waiting_;
  std::vector<std::unordered_set<std::size_t>> held_;  // by holder
  std::unordered_map<std::size_t, bool> returned_;     // points that a lost rank gave back: finished since?
  std::size_t unfinished_;
};

}  // namespace spillway
