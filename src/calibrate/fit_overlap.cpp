#include "calibrate/fit_overlap.h"

#include <cmath>
#include <vector>

#include "calibrate/relative_fit.h"

namespace spillway {
namespace {

constexpr std::size_t kEnoughPairsToHoldBack = 4;
const std::string kSlowdown = "/accelerator/slowdown_under_communication";

void report_held_back(const std::vector<KernelPair>& pairs, double ratio, Fits& fits) {
  if (pairs.empty()) return;
  std::vector<double> errors;
  Seconds predicted, measured;
  for (const KernelPair& pair : pairs) {
    errors.push_back(ratio * (pair.alone / pair.beside) - 1);
    predicted += ratio * pair.alone;
    measured += pair.beside;
  }
  const std::string what = "computing kernels beside communication";
  const double in_sum = predicted / measured - 1;
  fits.held_back.push_back({error_summary(errors), what});
  fits.held_back.push_back({{pairs.size(), std::abs(in_sum), std::abs(in_sum), in_sum}, what + ", in sum"});
}

}  // namespace

Fits fit_overlap(const OverlapReport& report, const std::string& source) {
  const bool hold_back = report.pairs.size() >= kEnoughPairsToHoldBack;
  std::vector<double> alone, beside;
  std::vector<KernelPair> rest;
  for (std::size_t i = 0; i < report.pairs.size(); ++i) {
    if (hold_back && i % 2 == 1) {
      rest.push_back(report.pairs[i]);
      continue;
    }
    alone.push_back(report.pairs[i].alone.value());
    beside.push_back(report.pairs[i].beside.value());
  }

  Fits fits;
  const auto ratio = ratio_of_sums(beside, alone);
  if (!ratio || ratio->value < 1) {
    fits.undetermined.push_back(
        {kSlowdown, ratio ? "kernels are not slower beside communication than alone"
                          : "fewer than two kernels run both beside communication and without it"});
    return fits;
  }
  fits.numbers.push_back(
      {kSlowdown, ratio->value - 1, ratio->low - 1, ratio->high - 1, alone.size(), source});
  report_held_back(rest, ratio->value, fits);
  return fits;
}

}  // namespace spillway
