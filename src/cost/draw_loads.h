// A draw as the analytic cost model reads it: tokens per microbatch, and for each encoder block the images of
// each member device. Images are spread once per draw; every schedule and every efficiency shares the result.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/id.h"
#include "cost/layers/architecture.h"
#include "cost/operators/token_loads.h"
#include "cost/slabs/encoder_spread.h"
#include "workload/tally.h"
#include "workload/workload.h"

namespace spillway {

class DrawLoads {
 public:
  // Each run of `sharers` members shares out all images in the same way. `encoders` has one entry per block
  // of the model: the FLOPs of an image there, or nothing for blocks that run over tokens. Contract: all
  // replicas of the draw have equally many microbatches; sharers > 0 divides members.
  DrawLoads(const Draw& draw, std::uint32_t members, std::uint32_t sharers,
            const std::vector<std::optional<ImageFlops>>& encoders, DocumentRule rule = {});

  // The same loads as if no token attended to another. They cost no more than these.
  DrawLoads without_attention() &&;

  std::uint32_t members() const { return members_; }
  std::uint32_t microbatches() const { return microbatches_; }
  std::uint32_t replicas() const { return replicas_; }

  const TokenLoad& tokens(ReplicaId replica, MicrobatchId microbatch) const {
    return kinds_[kind(replica, microbatch)];
  }

  // The tokens of the sequence that an encoder of this modality made.
  double media_tokens(Modality modality, ReplicaId replica, MicrobatchId microbatch) const {
    return (modality == Modality::Audio ? audio_tokens_ : image_tokens_)[cell(replica, microbatch)];
  }

  bool equal_media_tokens(Modality modality) const;
  bool equal_tokens() const;  // that the backbone runs over, in whatever documents

  // Over all microbatches and replicas: useful tokens, computed ones (with padding), and the tokens that
  // samples lost.
  const WorkloadTally& tally() const { return tally_; }

  // Microbatches with the same sequences are of one kind and cost the backbone the same, whoever made the
  // tokens. Kinds with equal tokens still differ in attention.
  std::span<const TokenLoad> kinds() const { return kinds_; }
  std::size_t kind(ReplicaId replica, MicrobatchId microbatch) const {
    return kind_of_[cell(replica, microbatch)];
  }

  // One entry per member device. Contract: `block` is an encoder.
  std::span<const DeviceImages> devices(std::size_t block, std::size_t cell) const {
    return {images_[block].of_devices.data() + cell * members_, members_};
  }
  // The first `sharers` devices, which together have every image once.
  std::span<const DeviceImages> images(std::size_t block, std::size_t cell) const {
    return devices(block, cell).first(sharers_);
  }

  // Different images of a device, each once: those of device `member` are
  // image_kinds(block)[image_kind(...)]. Contract: `block` is an encoder.
  std::span<const DeviceImages> image_kinds(std::size_t block) const { return images_[block].kinds; }
  std::size_t image_kind(std::size_t block, std::size_t cell, std::uint32_t member) const {
    return images_[block].kind_of[cell * sharers_ + member % sharers_];
  }

  // Cells are [replica][microbatch], numbered consecutively.
  std::size_t cells() const { return kind_of_.size(); }
  std::size_t cell(ReplicaId replica, MicrobatchId microbatch) const {
    return std::size_t{replica.index()} * microbatches_ + microbatch.index();
  }

  // Layers that run over `unit` cost the same for equal loads: the microbatch's cell (patches) or kind
  // (tokens).
  std::size_t load(LoadUnit unit, ReplicaId replica, MicrobatchId microbatch) const {
    return unit == LoadUnit::Patch ? cell(replica, microbatch) : kind(replica, microbatch);
  }

 private:
  struct BlockImages {
    std::vector<DeviceImages> of_devices;  // [cell][member]
    std::vector<DeviceImages> kinds;
    std::vector<std::uint32_t> kind_of;  // [cell][member of the first sharers]
  };
  static BlockImages block_images(const Draw& draw, std::uint32_t members, std::uint32_t sharers,
                                  const ImageFlops& flops);

  std::uint32_t members_, sharers_;
  std::uint32_t microbatches_;
  std::uint32_t replicas_;
  WorkloadTally tally_;
  std::vector<TokenLoad> kinds_;
  std::vector<std::uint32_t> kind_of_;  // by cell
  std::vector<double> image_tokens_;    // by cell
  std::vector<double> audio_tokens_;    // by cell
  std::vector<BlockImages> images_;     // by block
};

}  // namespace spillway
