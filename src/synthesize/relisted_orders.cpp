#include "synthesize/relisted_orders.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

namespace spillway {
namespace {

// By how many times their own time a group goes earlier or later at most.
constexpr double kFarGroup = 8;

// By pass: its place among all passes by `key`.
std::vector<std::uint64_t> places_by(const std::vector<double>& key) {
  std::vector<std::uint32_t> by_key(key.size());
  std::iota(by_key.begin(), by_key.end(), 0U);
  std::ranges::stable_sort(by_key, {}, [&](std::uint32_t pass) { return key[pass]; });
  std::vector<std::uint64_t> places(key.size());
  for (std::size_t place = 0; place < by_key.size(); ++place) places[by_key[place]] = place;
  return places;
}

PassSequences listed_by(const TimedOrder& timed, const std::vector<double>& key) {
  const PricedStep& step = *timed.order.step;
  return list_order(step.graph(), step.needs(), places_by(key), timed.room);
}

std::vector<double> starts_of(const TimedOrder& timed) {
  const PassNeeds& needs = timed.order.step->needs();
  std::vector<double> starts;
  for (std::size_t pass = 0; pass < needs.event.size(); ++pass)
    starts.push_back((timed.end(needs.event[pass]) - needs.duration[pass]).value());
  return starts;
}

// Returns true for the passes that share something with `one`: two passes share what `which` says.
bool is_alike(const Event& one, const Event& other, std::uint32_t which) {
  if (which == 0) return one.stage == other.stage && one.kind == other.kind;
  if (which == 1) return one.kind == other.kind;
  return which == 2 ? one.microbatch == other.microbatch : one.rank == other.rank;
}

}  // namespace

PassSequences shifted_order(const TimedOrder& timed, double wide, RandomStream& random) {
  const PassNeeds& needs = timed.order.step->needs();
  std::vector<double> key = starts_of(timed);
  for (std::size_t pass = 0; pass < key.size(); ++pass)
    key[pass] -= needs.duration[pass].value() * wide * random.uniform();
  return listed_by(timed, key);
}

PassSequences grouped_order(const TimedOrder& timed, RandomStream& random) {
  const PricedStep& step = *timed.order.step;
  const PassNeeds& needs = step.needs();
  std::vector<double> key = starts_of(timed);
  const auto event = [&](std::size_t pass) -> const Event& {
    return step.derived().order.event(EventId(needs.event[pass]));
  };
  const auto of =
      std::min(static_cast<std::size_t>(random.uniform() * static_cast<double>(key.size())), key.size() - 1);
  const auto which = static_cast<std::uint32_t>(random.uniform() * 4);
  const double far = kFarGroup * (2 * random.uniform() - 1);
  for (std::size_t pass = 0; pass < key.size(); ++pass)
    if (is_alike(event(of), event(pass), which)) key[pass] += needs.duration[pass].value() * far;
  return listed_by(timed, key);
}

PassSequences justified_order(const TimedOrder& timed, double wide, RandomStream& random) {
  const PricedStep& step = *timed.order.step;
  const PassNeeds& needs = step.needs();
  std::vector<double> key;
  for (std::size_t pass = 0; pass < needs.event.size(); ++pass)
    key.push_back(-timed.end(needs.event[pass]).value() +
                  needs.duration[pass].value() * wide * random.uniform());
  return listed_by(timed, backward_places(step.graph(), needs, places_by(key)));
}

}  // namespace spillway
