#include "cost/measured/measured_passes.h"

#include <cmath>
#include <numeric>
#include <tuple>

namespace spillway {
namespace {

auto inside_passes(const Parallelism& p) {
  const bool gathers = p.data == DataParallel::Zero3;
  return std::tuple(p.tensor, p.context, p.expert, p.expert_tensor, p.expert_imbalance, p.images, gathers);
}

auto way_inside_passes(const Parallelism& p) {
  return std::tuple(p.context_by, p.sequence_parallel, p.tensor_overlap, p.dispatch, p.fp8_dispatch,
                    p.reshard_after_forward);
}

// Sums over repeats.
struct Spread {
  double squares = 0, freedom = 0;

  void add(const std::vector<Seconds>& times) {
    if (times.empty()) return;
    const auto repeats = static_cast<double>(times.size());
    const Seconds mean = std::accumulate(times.begin(), times.end(), Seconds()) / repeats;
    for (const Seconds time : times) squares += std::pow(time / mean - 1, 2);
    freedom += repeats - 1;
  }
};

}  // namespace

double spread_of_repeats(const PassTable& measured) {
  Spread spread;
  for (const MeasuredPass& pass : measured.passes) spread.add(pass.times);
  for (const MeasuredUpdate& update : measured.updates) spread.add(update.times);
  return spread.freedom > 0 ? std::sqrt(spread.squares / spread.freedom) : 0;
}

bool same_inside_passes(const Parallelism& a, const Parallelism& b) {
  if (inside_passes(a) != inside_passes(b)) return false;
  const bool alone = a.members() == 1 && a.expert_devices() == 1 && a.data != DataParallel::Zero3;
  return alone || way_inside_passes(a) == way_inside_passes(b);
}

}  // namespace spillway
