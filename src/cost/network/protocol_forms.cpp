#include "cost/network/protocol_forms.h"

#include <cstddef>
#include <initializer_list>

#include "cost/network/algorithm_parts.h"

namespace spillway {
namespace {

constexpr std::size_t kFittedTo = 8;  // devices
constexpr double kHalfATurn = 0.5;

class Forms {
 public:
  Forms(const Tier& tier, const Protocols& protocols, double devices)
      : tier_(tier), protocols_(protocols), devices_(devices) {}

  void rings(double steps) {
    const double turns = (steps + kHalfATurn) / devices_;
    add(tier_.latency_of_a_step().value * steps, turns / protocols_.small.value, {protocols_.small.evidence});
    add(protocols_.bulk_step.value * (steps + 1), turns, {protocols_.bulk_step.evidence});
  }

  void in_switch(const InSwitch& by) {
    if (devices_ > 2)
      add(by.once.value, (1 + 1 / devices_) / by.bandwidth.value, {by.once.evidence, by.bandwidth.evidence});
  }

  void exchange() {
    const Seconds once = tier_.latency_of_a_step().value + protocols_.exchange.value;
    const double parts = (devices_ - kHalfATurn) / devices_;
    add(once, parts / protocols_.exchange_small.value,
        {protocols_.exchange.evidence, protocols_.exchange_small.evidence});
    add(once + protocols_.exchange_bulk.value, parts,
        {protocols_.exchange.evidence, protocols_.exchange_bulk.evidence});
  }

  std::vector<ClosedForm> take() && { return std::move(all_); }

 private:
  // `share` of n passes at the tier's bandwidth.
  void add(Seconds latency, double share, std::initializer_list<Evidence> rests_on) {
    const Seconds once = latency_once(tier_) * protocols_.launch.value;
    Evidence evidence = devices_ > kFittedTo ? Evidence::Extrapolated : protocols_.launch.evidence;
    for (const Evidence one :
         {tier_.latency.evidence, tier_.latency_of_a_step().evidence, tier_.bandwidth.evidence})
      evidence = weaker(evidence, one);
    for (const Evidence one : rests_on) evidence = weaker(evidence, one);
    const Seconds per_byte = Bytes(share) / tier_.bandwidth.value;
    all_.push_back({Algorithm::Protocol, once, {{1, {{latency, per_byte}}}}, evidence});
  }

  const Tier& tier_;
  const Protocols& protocols_;
  double devices_;
  std::vector<ClosedForm> all_;
};

}  // namespace

std::vector<ClosedForm> protocol_forms(const Platform& platform, CollectiveOperation operation,
                                       const Devices& devices) {
  using enum CollectiveOperation;
  const Tier& tier = platform.tiers.front();
  if (!tier.protocols || widest_tier(platform, devices) > 0) return {};
  const auto count = static_cast<double>(devices.size());
  Forms forms(tier, *tier.protocols, count);
  if (operation == AllToAll) {
    forms.exchange();
  } else if (gathers_or_scatters(operation)) {
    forms.rings((operation == AllReduce ? 2 : 1) * (count - 1));
    if (operation == AllReduce && tier.protocols->in_switch) forms.in_switch(*tier.protocols->in_switch);
  }
  return std::move(forms).take();
}

}  // namespace spillway
