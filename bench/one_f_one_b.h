// The benchmark's pipeline in the program's own terms: derivation, prices, and the star as a Platform.
#pragma once

#include "bench/pipeline.h"
#include "cost/price.h"
#include "derive/derive.h"
#include "platform/platform.h"

namespace spillway::bench {

inline Model layers(std::uint32_t ranks) {
  return Model({{"llm", Role::Backbone, ranks, true}});
}

inline Derived one_f_one_b(std::uint32_t ranks, std::uint32_t microbatches) {
  const DeriveOptions options{.pipeline = {ranks, microbatches}};
  return derive(layers(ranks), Schedule{{SkeletonKind::OneFOneB}}, Cut{}, options);
}

class BenchCosts final : public Pricing {
 public:
  Seconds pass(Pass pass, StageId, MicrobatchId, ReplicaId) const override {
    return Seconds(pass == Pass::Forward ? kForwardSeconds : kBackwardSeconds);
  }
  Seconds overlapped(const Event&, ReplicaId) const override {
    return Seconds(kForwardSeconds + kBackwardSeconds);
  }
  Transfer transfer(const Event& event, ReplicaId) const override {
    if (event.kind == EventKind::DpReduce) return {};  // a group of one
    return {Seconds(kLatencySeconds + kMessageBytes / kLinkBytesPerSecond), Bytes(kMessageBytes)};
  }
};

inline Platform star(std::uint32_t ranks) {
  const Sourced<BytesPerSecond> rate{BytesPerSecond(kLinkBytesPerSecond), Evidence::Assumed, "benchmark"};
  const Sourced<Seconds> latency{Seconds(kLatencySeconds), Evidence::Assumed, "benchmark"};
  Platform platform;
  platform.name = "star";
  platform.ports.push_back({"port", rate});
  platform.tiers.push_back({"star", ranks, 0, latency, rate});
  return platform;
}

}  // namespace spillway::bench
