#include "policy/order_key.h"

#include <concepts>
#include <cstring>
#include <type_traits>

namespace spillway {
namespace {

// Values one after the other, lists and texts with their lengths before them, so that no two keys run into
// each other.
class Key {
 public:
  template <class Value>
  requires std::is_arithmetic_v<Value> || std::is_enum_v<Value>
  void add(Value value) {
    const std::size_t at = bytes_.size();
    bytes_.resize(at + sizeof value);
    std::memcpy(bytes_.data() + at, &value, sizeof value);
  }
  void add(Seconds time) { add(time.value()); }
  template <class Tag>
  void add(Id<Tag> id) {
    add(id.index());
  }
  void add(const std::string& text) {
    add(text.size());
    bytes_ += text;
  }
  template <class Item>
  void add(const std::vector<Item>& items) {
    add(items.size());
    for (const Item& item : items) add(item);
  }
  void add(const Block& block) { all(block.name, block.role, block.layers, block.trainable); }
  void add(const Skeleton& skeleton) {
    all(skeleton.kind, skeleton.waves, skeleton.listed != nullptr);
    if (skeleton.listed) all(skeleton.listed->stage_rank, skeleton.listed->orders);
  }
  void add(const Pipeline& pipeline) { all(pipeline.ranks, pipeline.microbatches, pipeline.replicas); }
  void add(const StageExpectation& stage) {
    all(stage.forward, stage.input_gradient, stage.weight_gradient, stage.activations,
        stage.weight_gradient_activations);
  }
  void add(const Slot& slot) {
    all(slot.action, slot.chunk, slot.microbatch, slot.backward_chunk, slot.backward_microbatch);
  }
  void add(const DeriveOptions& options) {
    all(options.pipeline, options.point_to_point, options.owners, options.layers_per_rank,
        options.microbatch_group, options.joined_replicas, options.expected.stages, options.expected.transfer,
        options.inner, options.placed, options.gathered_first, options.input_recomputed, options.input_pieces,
        options.input_batch, options.input_prefetched, options.regrouping, options.hidden);
  }
  void add(const Regrouping& regrouping) { all(regrouping.rule, regrouping.together, regrouping.stride); }
  void add(const HiddenPass& pass) {
    all(pass.stage, pass.microbatch, pass.backward, pass.host.kind, pass.host.stage, pass.host.microbatch,
        pass.host.peer_stage, pass.host.peer_microbatch);
  }
  void add(const PlacedPass& pass) { all(pass.before, pass.microbatch, pass.backward, pass.piece); }

  template <class... Values>
  void all(const Values&... values) {
    (add(values), ...);
  }

  std::string bytes() && { return std::move(bytes_); }

 private:
  std::string bytes_;
};

}  // namespace

std::string order_key(const Model& model, const Schedule& schedule, const Cut& cut,
                      const DeriveOptions& options) {
  Key key;
  key.all(model.blocks(), schedule.skeletons, cut.boundaries, options);
  return std::move(key).bytes();
}

}  // namespace spillway
