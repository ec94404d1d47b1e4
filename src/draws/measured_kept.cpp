#include "draws/measured_kept.h"

#include <algorithm>

#include "cost/measured/pass_fit.h"

namespace spillway {
namespace {

Bytes modelled_sum(const KindCounts& counts, const std::vector<Bytes>& of_kinds) {
  Bytes sum;
  for (std::size_t kind = 0; kind < counts.size(); ++kind) sum += of_kinds[kind] * counts[kind];
  return sum;
}

// A fit in relative terms has no unit: a byte stands for a second.
Seconds as_time(Bytes bytes) {
  return Seconds(bytes.value());
}

FitRow row_of(const KeptBytes& kept) {
  FitRow row{.layers = {kept.counts.begin(), kept.counts.end()},
             .sizes = std::vector<LayerSize>(kept.counts.size(), LayerSize{1, 1}),
             .roofline = {},
             .time = as_time(kept.measured),
             .repeats = 1};
  for (std::size_t kind = 0; kind < kept.counts.size(); ++kind) {
    row.roofline.push_back(as_time(kept.modelled[kind]));
    if (kept.modelled[kind] == Bytes()) row.layers[kind] = 0;
  }
  return row;
}

}  // namespace

MeasuredKept::MeasuredKept(const std::vector<KeptBytes>& rows, std::size_t kinds) : factors_(kinds, 1) {
  if (rows.empty()) return;
  largest_.resize(kinds);
  std::map<KindCounts, std::vector<double>> ratios;
  for (const KeptBytes& row : rows) {
    for (std::size_t kind = 0; kind < kinds; ++kind)
      largest_[kind] = std::max(largest_[kind], row.modelled[kind]);
    const Bytes all = modelled_sum(row.counts, row.modelled);
    if (all > Bytes()) ratios[row.counts].push_back(row.measured / all);
  }
  for (const auto& [counts, of_stage] : ratios) {
    double sum = 0;
    for (const double ratio : of_stage) sum += ratio;
    stages_[counts] = sum / static_cast<double>(of_stage.size());
  }
  fit(rows, kinds);
}

// All layers have one size, so the fit has a factor for each kind.
void MeasuredKept::fit(const std::vector<KeptBytes>& rows, std::size_t kinds) {
  std::vector<FitRow> fitted;
  for (const KeptBytes& row : rows) fitted.push_back(row_of(row));
  const PassFit fit = fit_passes(fitted, kinds);
  for (std::size_t kind = 0; kind < kinds; ++kind)
    if (fit.kinds[kind].measured()) factors_[kind] = fit.kinds[kind].factor;
}

double MeasuredKept::factor(const KindCounts& counts) const {
  if (const auto known = stages_.find(counts); known != stages_.end()) return known->second;
  const Bytes all = empty() ? Bytes() : modelled_sum(counts, largest_);
  if (all == Bytes()) return 1;
  Bytes scaled;
  for (std::size_t kind = 0; kind < counts.size(); ++kind)
    scaled += largest_[kind] * (counts[kind] * factors_[kind]);
  return scaled / all;
}

}  // namespace spillway
