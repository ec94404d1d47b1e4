// Documents with given durations of an encoder, a backbone and at times a generator, large enough for systems
// and modules, with every key of a profile.
#include <cstdint>
#include <string>

#include "dice.h"
#include "documents.h"

namespace spillway::testing {
namespace {

double tenths(std::uint32_t most) {
  return number(0, most) * 0.1;
}

class MultimodalDraw {
 public:
  MultimodalDraw()
      : generator_(one_in(4)),
        ranks_(number(generator_ ? 3 : 1, 4)),
        microbatches_(one_in(2) ? ranks_ * number(1, 3) : number(1, 9)),
        replicas_(number(1, 4)),
        bytes_(!one_in(4)) {}

  Json document() {
    Json document = {{"schema", "spillway/experiment/1"}, {"name", "job"}};
    document["pipeline"] = {{"ranks", ranks_}, {"microbatches", microbatches_}};
    if (replicas_ > 1) document["pipeline"]["replicas"] = replicas_;
    document["model"]["blocks"] = blocks();
    if (!one_in(3)) document["network"] = network();
    document["seed"] = number(0, 99);
    document["draws"] = number(1, 3);
    document["schedules"] = {{{"name", "one"}, {"schedule", "1f1b"}}};
    return document;
  }

 private:
  static Json network() {
    Json network = {{"p2p_ms", tenths(40)}, {"p2p", one_in(2) ? "blocking" : "overlapped"}};
    if (one_in(2)) network["reduction_ms"] = tenths(99);
    return network;
  }

  Json profile() const {
    const double forward = tenths(99), input = tenths(99), weight = tenths(99);
    Json profile = {{"forward_ms", forward}, {"input_gradient_ms", input}, {"weight_gradient_ms", weight}};
    if (one_in(3)) profile["fused_forward_backward_ms"] = (forward + input + weight) * number(50, 200) * 0.01;
    if (!bytes_) return profile;
    const std::uint32_t activations = number(0, 9) * 1'000'000;
    profile["activation_bytes"] = activations;
    if (one_in(2)) profile["weight_gradient_activation_bytes"] = activations / 4;
    for (const char* key : {"output_bytes", "parameter_bytes", "gradient_bytes", "optimizer_bytes"})
      if (one_in(2)) profile[key] = number(0, 9) * 1'000'000;
    return profile;
  }

  // Returns one list for all replicas, or one for each replica.
  Json factors() const {
    const auto row = [&] {
      Json all = Json::array();
      for (std::uint32_t m = 0; m < microbatches_; ++m) all.push_back(tenths(30));
      return all;
    };
    if (one_in(2)) return row();
    Json rows = Json::array();
    for (std::uint32_t replica = 0; replica < replicas_; ++replica) rows.push_back(row());
    return rows;
  }

  Json block(const std::string& name, const std::string& role, std::uint32_t layers) const {
    Json block = {{"name", name}, {"layers", layers}, {"profile", profile()}};
    if (name == "part" || one_in(4)) block["role"] = role;
    if (one_in(3)) block["trainable"] = !one_in(3);
    return block;
  }

  // Half of the documents draw the encoder's work from images, since only samples of images move.
  void state_work(Json& blocks) const {
    if (one_in(2)) {
      blocks[0]["image_work"] = image_work();
      return;
    }
    for (Json& block : blocks) {
      if (one_in(2)) block["work_per_microbatch"] = factors();
      if (one_in(3)) block["backward_work_per_microbatch"] = factors();
    }
  }

  // Adds a second encoder, beside the first.
  void add_tower(Json& blocks) const {
    blocks.push_back(block("ear", "encoder", number(1, ranks_)));
    blocks[0]["role"] = blocks[1]["role"] = "encoder";
    blocks[0]["feeds"] = "llm";
  }

  Json blocks() const {
    Json blocks = Json::array();
    blocks.push_back(block(one_in(6) ? "part" : "enc", "encoder", number(1, 2 * ranks_)));
    if (one_in(3)) add_tower(blocks);
    blocks.push_back(block("llm", "backbone", 2 * ranks_ + number(0, 6)));
    if (generator_) blocks.push_back(block("gen", "generator", number(1, 2 * ranks_)));
    state_work(blocks);
    return blocks;
  }

  bool generator_;
  std::uint32_t ranks_, microbatches_, replicas_;
  bool bytes_;
};

}  // namespace

Json multimodal_document() {
  return MultimodalDraw().document();
}

}  // namespace spillway::testing
