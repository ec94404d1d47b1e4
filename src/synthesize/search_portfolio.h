// The searches of all placements of a job, and how tries are shared out over them. Private to src/synthesize.
//
// First each search tries its starts, the placements of named schedules before others; then list schedules
// until it is screened. The kKept with the shortest steps go on: by turns the best one and the next of all.
// All of this follows from the number of tries so far, never from how many there will be. So a search that is
// stopped after n tries has the result of a search for n tries. It is successive halving with one round: K.
// Jamieson, A. Talwalkar, Non-stochastic best arm identification (2016).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "synthesize/placement_search.h"

namespace spillway {

// The shortest mean step on the searched draws after a number of tries.
struct SearchProgress {
  std::uint64_t tries;
  Seconds step;
};

struct SearchedPlacement {
  std::unique_ptr<PlacementSearch> search;
  std::string made;  // what is new in its stages (made_placements.h); empty: a named schedule has it
};

class SearchPortfolio {
 public:
  void add(SearchedPlacement one);
  bool empty() const { return all_.empty(); }

  // Tries orders until there are `effort` of them or `stop`, asked before each try, returns true. Contract:
  // not empty.
  void run(std::uint64_t effort, const std::function<bool()>& stop);

  std::uint64_t tries() const { return tries_; }
  // Each try after which the shortest step was shorter, from the searches' first orders on.
  const std::vector<SearchProgress>& progress() const { return progress_; }
  const std::vector<SearchedPlacement>& kept() const { return all_; }
  // The least of the largest peaks of all orders whose memory was walked; nothing if none was.
  std::optional<Bytes> least_memory() const;

 private:
  static constexpr std::size_t kKept = 8;

  // Returns false if it was stopped.
  template <class Goes>
  bool screen(const Goes& goes_on);
  void try_next(const SearchedPlacement& one);
  void note(const SearchedPlacement& one);
  void keep_the_best();

  std::vector<SearchedPlacement> all_;
  std::vector<SearchProgress> progress_;
  std::uint64_t tries_ = 0;
  std::optional<Bytes> dropped_least_;
};

}  // namespace spillway
