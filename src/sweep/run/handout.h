// Which points of a round are with which rank. A rank that is lost gives back those it holds.
#pragma once

#include <cstddef>
#include <deque>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace spillway {

class Handout {
 public:
  // Holders are 0 ... holders - 1. Contract: points are distinct.
  Handout(const std::vector<std::size_t>& points, std::size_t holders);

  // Up to `wanted` points in the order given, fewer towards the end so that all holders end together; none
  // where all are held or finished.
  std::vector<std::size_t> take(std::size_t holder, std::size_t wanted);
  // Is this the first outcome of a point that was handed out? Others are to be dropped.
  bool finish(std::size_t holder, std::size_t point);
  // What it holds goes to those who take next. It may still finish them first.
  void lose(std::size_t holder);

  bool finished() const { return unfinished_ == 0; }

 private:
  bool returned_and_finished(std::size_t point) const;

  std::deque<std::size_t> waiting_;
  std::vector<std::unordered_set<std::size_t>> held_;  // by holder
  std::unordered_map<std::size_t, bool> returned_;     // points that were lost once: finished since?
  std::size_t unfinished_;
};

}  // namespace spillway
