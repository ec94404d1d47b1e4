#include "measured/fit_overlap.h"

#include <vector>

#include "measured/held_back.h"
#include "measured/relative_fit.h"

namespace spillway {
namespace {

constexpr std::size_t kEnoughToHoldBack = 4;
const std::string kPointer = "/accelerator/slowdown_under_communication";

}  // namespace

Fits fit_overlap(const OverlapReport& report, const std::string& source) {
  const bool hold_back = report.pairs.size() >= kEnoughToHoldBack;
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
        {kPointer, ratio ? "kernels are not slower beside communication than alone"
                         : "fewer than two kernels run both beside communication and without it"});
    return fits;
  }
  fits.numbers.push_back({kPointer, ratio->value - 1, ratio->low - 1, ratio->high - 1, alone.size(), source});
  std::vector<double> errors;
  for (const KernelPair& pair : rest) errors.push_back(ratio->value * (pair.alone / pair.beside) - 1);
  if (!errors.empty())
    fits.held_back.push_back(held_back_error("computing kernels beside communication", errors));
  return fits;
}

}  // namespace spillway
