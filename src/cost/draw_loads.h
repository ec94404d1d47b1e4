// A draw as the analytic cost model reads it: tokens per microbatch, and for each encoder block the images of
// each member device. Spread once per draw; every schedule and every efficiency shares it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/id.h"
#include "cost/layers/architecture.h"
#include "cost/slabs/encoder_spread.h"
#include "workload/tally.h"
#include "workload/workload.h"

namespace spillway {

struct TokenLoad {
  double sequence;       // what the backbone runs over, all sequences of the microbatch together
  double sequences = 1;  // of equal length

  double length() const { return sequence / sequences; }

  friend bool operator==(const TokenLoad&, const TokenLoad&) = default;
};

class DrawLoads {
 public:
  // Images are shared out over `sharers` of the members, as over the next as many. `encoders` has one entry
  // per block of the model: what an image costs there, nothing for blocks that run over tokens. Contract:
  // every replica of the draw has equally many microbatches; sharers > 0 divides members.
  DrawLoads(const Draw& draw, std::uint32_t members, std::uint32_t sharers,
            const std::vector<std::optional<ImageFlops>>& encoders);

  std::uint32_t members() const { return members_; }
  std::uint32_t microbatches() const { return microbatches_; }
  std::uint32_t replicas() const { return replicas_; }

  const TokenLoad& tokens(ReplicaId replica, MicrobatchId microbatch) const {
    return kinds_[kind(replica, microbatch)];
  }

  // Of those, what an encoder made.
  double image_tokens(ReplicaId replica, MicrobatchId microbatch) const {
    return image_tokens_[cell(replica, microbatch)];
  }

  bool equal_image_tokens() const;

  // Of all microbatches and replicas: tokens that are of use, and those that samples lost.
  const WorkloadTally& tally() const { return tally_; }

  // Microbatches of the same tokens are of one kind and cost the backbone the same, whoever made them.
  std::span<const TokenLoad> kinds() const { return kinds_; }
  std::size_t kind(ReplicaId replica, MicrobatchId microbatch) const {
    return kind_of_[cell(replica, microbatch)];
  }

  // One entry per member device. Contract: `block` is an encoder.
  std::span<const DeviceImages> devices(std::size_t block, std::size_t cell) const {
    return {images_[block].data() + cell * members_, members_};
  }
  // The first of them, which together have every image once.
  std::span<const DeviceImages> images(std::size_t block, std::size_t cell) const {
    return devices(block, cell).first(sharers_);
  }

  // [replica][microbatch], numbered through.
  std::size_t cells() const { return kind_of_.size(); }
  std::size_t cell(ReplicaId replica, MicrobatchId microbatch) const {
    return std::size_t{replica.index()} * microbatches_ + microbatch.index();
  }

  // What of a microbatch is one load to layers that run over `unit`: its kind, or its cell.
  std::size_t load(LoadUnit unit, ReplicaId replica, MicrobatchId microbatch) const {
    return unit == LoadUnit::Patch ? cell(replica, microbatch) : kind(replica, microbatch);
  }

 private:
  std::uint32_t members_, sharers_;
  std::uint32_t microbatches_;
  std::uint32_t replicas_;
  WorkloadTally tally_;
  std::vector<TokenLoad> kinds_;
  std::vector<std::uint32_t> kind_of_;             // by cell
  std::vector<double> image_tokens_;               // by cell
  std::vector<std::vector<DeviceImages>> images_;  // [block][cell][member]
};

}  // namespace spillway
