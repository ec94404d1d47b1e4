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

}  // namespace

double spread_of_repeats(const PassTable& measured) {
  double squares = 0, freedom = 0;
  for (const MeasuredPass& pass : measured.passes) {
    const auto repeats = static_cast<double>(pass.times.size());
    const Seconds mean = std::accumulate(pass.times.begin(), pass.times.end(), Seconds()) / repeats;
    for (const Seconds time : pass.times) squares += std::pow(time / mean - 1, 2);
    freedom += repeats - 1;
  }
  return freedom > 0 ? std::sqrt(squares / freedom) : 0;
}

bool same_inside_passes(const Parallelism& a, const Parallelism& b) {
  if (inside_passes(a) != inside_passes(b)) return false;
  const bool alone = a.members() == 1 && a.expert_devices() == 1 && a.data != DataParallel::Zero3;
  return alone || way_inside_passes(a) == way_inside_passes(b);
}

}  // namespace spillway
