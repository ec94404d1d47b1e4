// A draw as the analytic cost model reads it: tokens per microbatch, and for each encoder block the images of
// each member device. Spread once per draw; every schedule and every efficiency shares it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/id.h"
#include "cost/encoder_spread.h"
#include "workload/workload.h"

namespace spillway {

struct TokenLoad {
  double sequence;  // what the backbone runs over
  double image;     // of these, made by an encoder
};

class DrawLoads {
 public:
  // `encoders` has one entry per block of the model: what an image costs there, nothing for blocks that run
  // over tokens. Contract: every replica of the draw has equally many microbatches; members > 0.
  DrawLoads(const Draw& draw, std::uint32_t members, const std::vector<std::optional<ImageFlops>>& encoders);

  std::uint32_t members() const { return members_; }
  std::uint32_t microbatches() const { return microbatches_; }
  std::uint32_t replicas() const { return replicas_; }

  TokenLoad tokens(ReplicaId replica, MicrobatchId microbatch) const {
    return tokens_[cell(replica, microbatch)];
  }

  // One entry per member device. Contract: `block` is an encoder.
  std::span<const DeviceLoad> devices(std::size_t block, ReplicaId replica, MicrobatchId microbatch) const {
    return {images_[block].data() + cell(replica, microbatch) * members_, members_};
  }

 private:
  std::size_t cell(ReplicaId replica, MicrobatchId microbatch) const {
    return std::size_t{replica.index()} * microbatches_ + microbatch.index();
  }

  std::uint32_t members_;
  std::uint32_t microbatches_;
  std::uint32_t replicas_;
  std::vector<TokenLoad> tokens_;                // [replica][microbatch]
  std::vector<std::vector<DeviceLoad>> images_;  // [block][replica][microbatch][member]
};

}  // namespace spillway
