// The time of a pass over one layer of each kind, fitted to measured passes over several layers.
//
//   pass = sum over kinds k of  layers of k x t_k(size),   t_k = offset + linear x tokens + quadratic x pairs
//
// A kind has this curve if it was measured at three or more sizes. At two sizes it has an offset and a factor
// on the roofline, at one size the factor alone: the roofline then says how time grows with size. Kinds that
// were only measured together have factors alone, as equal as the measurements allow. No coefficient is below
// 0. The fit is in relative terms: 2 us beside 20 us count as much as 2 ms beside 20 ms.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/quantity.h"

namespace spillway {

// The input of a layer: its tokens or patches, and the pairs of them within one sequence or image.
struct LayerSize {
  double tokens = 0;
  double pairs = 0;

  friend bool operator==(const LayerSize&, const LayerSize&) = default;
};

// The least and the most of both numbers.
LayerSize smaller(LayerSize a, LayerSize b);
LayerSize larger(LayerSize a, LayerSize b);

// The mean of the repeats of one pass. All lists are by kind.
struct FitRow {
  std::vector<double> layers;
  std::vector<LayerSize> sizes;
  std::vector<Seconds> roofline;  // of one layer
  Seconds time;                   // above 0
  double repeats;                 // at least 1
  // The least and the most sizes of the microbatches of which `sizes` are means. Empty if all are `sizes`.
  std::vector<LayerSize> least = {}, most = {};
};

enum class FitForm : std::uint8_t { NotMeasured, Factor, OffsetAndFactor, Curve };

struct LayerFit {
  FitForm form = FitForm::NotMeasured;
  std::uint32_t sizes = 0;  // measured
  LayerSize least = {}, most = {};
  Seconds offset = {};
  double linear = 0;     // seconds per token
  double quadratic = 0;  // seconds per pair
  double factor = 0;     // of the roofline

  bool measured() const { return form != FitForm::NotMeasured; }
  bool covers(LayerSize size) const;
  Seconds at(LayerSize size, Seconds roofline) const;
};

struct PassFit {
  std::vector<LayerFit> kinds;
  // The root of the mean square of (fitted / measured - 1).
  double deviation = 0;
};

// Contract: every row has `kinds` entries in each list.
PassFit fit_passes(std::span<const FitRow> rows, std::size_t kinds);

}  // namespace spillway
