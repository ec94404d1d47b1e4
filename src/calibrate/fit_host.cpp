#include "calibrate/fit_host.h"

#include <vector>

#include "calibrate/relative_fit.h"

namespace spillway {
namespace {

constexpr double kBusyBelow = 0.5;  // of the span
constexpr std::size_t kEnoughPassesToHoldBack = 4;
const std::string kHostOverhead = "/accelerator/host_overhead_us";

std::vector<IssuedPass> host_bound(std::span<const IssuedPass> passes) {
  std::vector<IssuedPass> kept;
  for (const IssuedPass& pass : passes)
    if (pass.kernels > 0 && pass.busy < kBusyBelow * pass.span) kept.push_back(pass);
  return kept;
}

std::optional<Estimated> span_per_kernel(const std::vector<IssuedPass>& passes) {
  std::vector<double> spans, kernels;
  for (const IssuedPass& pass : passes) {
    spans.push_back(pass.span.value());
    kernels.push_back(static_cast<double>(pass.kernels));
  }
  return ratio_of_sums(spans, kernels);
}

}  // namespace

Fits fit_host(std::span<const IssuedPass> passes, const std::string& source) {
  const std::vector<IssuedPass> bound = host_bound(passes);
  const bool hold_back = bound.size() >= kEnoughPassesToHoldBack;
  std::vector<IssuedPass> fitted, rest;
  for (std::size_t i = 0; i < bound.size(); ++i)
    (hold_back && i % 2 == 1 ? rest : fitted).push_back(bound[i]);

  Fits fits;
  const auto overhead = span_per_kernel(fitted);
  if (!overhead) {
    fits.undetermined.push_back(
        {kHostOverhead, "of " + std::to_string(passes.size()) + " passes " + std::to_string(bound.size()) +
                            " leave the device idle for half of their span, and it takes "
                            "two to know how the host's time spreads"});
    return fits;
  }
  const double us = 1e6;
  fits.numbers.push_back(
      {kHostOverhead, us * overhead->value, us * overhead->low, us * overhead->high, fitted.size(), source});
  fits.notes.push_back({NoteKind::Guessed, 0, "one kernel is one operator of the cost model"});
  std::vector<double> errors;
  for (const IssuedPass& pass : rest)
    errors.push_back(overhead->value * static_cast<double>(pass.kernels) / pass.span.value() - 1);
  const std::string what = "spans of host-bound passes";
  if (!errors.empty())
    fits.held_back.push_back({error_summary(errors), what});
  else
    fits.notes.push_back({NoteKind::Missing, 0, what + ": too few to hold any back"});
  return fits;
}

}  // namespace spillway
