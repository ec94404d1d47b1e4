// The regions of a cut, and their backward footprints (paper section 3.1, Lemma 1).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "model/model.h"

namespace spillway {

// Interior layer boundaries c_1 < ... < c_{k-1} of a k-region schedule; c_0 = 0 and c_k = L are implied.
struct Cut {
  std::vector<std::uint32_t> boundaries;

  friend bool operator==(const Cut&, const Cut&) = default;
};

// A contiguous run of layers under one skeleton. The name joins its blocks with '+'. A block that is cut over
// several regions numbers its pieces: llm.1, llm.2, ...
struct Region {
  std::string name;
  LayerRange layers;
  bool trainable;
};

// The size of part `index` if `layers` are split into `count` parts as evenly as possible; earlier parts take
// the remainder.
constexpr std::uint32_t even_share(std::uint32_t layers, std::uint32_t count, std::uint32_t index) {
  return layers / count + (index < layers % count ? 1 : 0);
}

// Returns every violation of a cut of the model into `region_count` regions. Pointers start at /cut.
std::vector<Violation> check_cut(const Cut& cut, const Model& model, std::size_t region_count);

// The default cut of a schedule of `region_count` regions: no boundaries for one region, block boundaries if
// there are as many blocks as regions, those boundaries without the ones between towers side by side if there
// are as many then, an even cut of a single block. Otherwise there is none.
std::optional<Cut> default_cut(const Model& model, std::size_t region_count);

// Contract: check_cut finds nothing.
std::vector<Region> regions_of(const Model& model, const Cut& cut);

// Lemma 1's three gates for one region. They read the trainable bits, the cut and which regions stand side by
// side.
struct BackwardFootprint {
  bool sends;     // (i)   some region before it is trainable: sends its input gradient upstream
  bool receives;  // (ii)  it or some region before it is trainable: runs a backward at all
  bool reduces;   // (iii) it is trainable: reduces weight gradients

  friend bool operator==(BackwardFootprint, BackwardFootprint) = default;
};

// None of the first `beside` regions is before another of them; all are before the rest.
std::vector<BackwardFootprint> backward_footprints(std::span<const Region> regions, std::size_t beside = 1);

}  // namespace spillway
