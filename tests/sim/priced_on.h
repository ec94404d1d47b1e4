// Prices for replays of random derivations: a platform prices their transfers.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "cost/given.h"
#include "sim/flows/flows.h"
#include "small_cluster.h"

namespace spillway::testing {

// Passes take the given durations. A transfer takes `software` and the alpha-beta time of its slowest flow.
class PricedOn final : public Pricing {
 public:
  PricedOn(GivenCosts compute, const Derived& derived, Platform platform, std::uint32_t members,
           Seconds software)
      : compute_(std::move(compute), derived),
        grid_{derived.pipeline.ranks, derived.pipeline.replicas, members},
        platform_(std::move(platform)),
        software_(software) {}

  Seconds pass(Pass pass, StageId s, MicrobatchId m, ReplicaId r) const override {
    return compute_.pass(pass, s, m, r);
  }
  Seconds overlapped(const Event& event, ReplicaId r) const override { return compute_.overlapped(event, r); }
  // Payloads are 10 to 70 MB, by microbatch and stage, so that flows overlap in many ways.
  Transfer transfer(const Event& event, ReplicaId replica) const override {
    const Bytes payload((1 + (event.microbatch.index() * 3 + event.stage.index()) % 7) * 1e7);
    std::vector<Flow> flows;
    flows_of(event, event.joined_replicas > 1 ? ReplicaId(0) : replica, grid_, flows);
    Seconds slowest;
    for (const Flow flow : flows) {
      const Tier& tier = tier_between(platform_, flow.from, flow.to);
      slowest = std::max(slowest, tier.latency.value + payload / tier.bandwidth.value);
    }
    return flows.empty() ? Transfer{} : Transfer{software_ + slowest, payload};
  }

 private:
  GivenCostModel compute_;
  DeviceGrid grid_;
  Platform platform_;
  Seconds software_;
};

inline Platform enough_devices() {
  Platform platform = small_cluster();
  platform.tiers.back().devices = 64;
  return platform;
}

}  // namespace spillway::testing
