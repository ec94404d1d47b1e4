// Documents with given durations: a RandomDerivation as a document, with keys that only a document has.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "derive/owner.h"
#include "dice.h"
#include "documents.h"
#include "support/random_derivation.h"

namespace spillway::testing {
namespace {

// The source of a job's work.
enum class Work { Stated, Measured, Images };

double in_ms(Seconds time) {
  return time.value() * 1e3;
}

Json profile(const BlockProfile& block, bool bytes) {
  Json profile = {{"forward_ms", in_ms(block.forward)},
                  {"input_gradient_ms", in_ms(block.input_gradient)},
                  {"weight_gradient_ms", in_ms(block.weight_gradient)}};
  const Seconds backward = block.input_gradient + block.weight_gradient;
  if (block.fused_forward_backward)
    profile["fused_forward_backward_ms"] =
        in_ms(std::max({*block.fused_forward_backward, block.forward, backward}));
  if (!bytes) return profile;
  profile["activation_bytes"] = number(0, 9) * 1'000'000;
  profile["parameter_bytes"] = number(0, 9) * 1'000'000;
  return profile;
}

Json measured_work(std::uint32_t steps, std::uint32_t replicas, std::uint32_t microbatches) {
  Json work = Json::array();
  for (std::uint32_t step = 0; step < steps; ++step) {
    Json& of_step = work.emplace_back(Json::array());
    for (std::uint32_t replica = 0; replica < replicas; ++replica) {
      Json& row = of_step.emplace_back(Json::array());
      for (std::uint32_t m = 0; m < microbatches; ++m)
        row.push_back({number(1, 30) * 0.1, number(1, 30) * 0.1});
    }
  }
  return work;
}

class GivenDraw {
 public:
  GivenDraw()
      : random_(*random_derivation(
            {.regions = 4, .ranks = 4, .microbatches = 7, .replicas = 3, .every_skeleton = one_in(2)})),
        work_(one_in(4)   ? Work::Measured
              : one_in(4) ? Work::Images
                          : Work::Stated) {}

  Json document() {
    const Pipeline& pipeline = random_.options.pipeline;
    Json document = {{"schema", "spillway/experiment/1"}, {"name", "job"}};
    document["pipeline"] = {
        {"ranks", pipeline.ranks}, {"microbatches", pipeline.microbatches}, {"replicas", pipeline.replicas}};
    document["model"]["blocks"] = blocks();
    document["network"] = {{"p2p_ms", in_ms(random_.costs.p2p)},
                           {"p2p", std::string(to_string(random_.options.point_to_point))}};
    if (one_in(3)) document["network"]["reduction_ms"] = number(0, 99) * 0.1;
    if (work_ != Work::Stated) {
      document["draws"] = number(1, 3);
      document["seed"] = number(0, 99);
    }
    document["schedules"] = schedules();
    return document;
  }

 private:
  Json blocks() {
    const bool bytes = one_in(2);
    const Json measured = measured_work(number(1, 3), one_in(2) ? random_.options.pipeline.replicas : 2,
                                        one_in(2) ? random_.options.pipeline.microbatches : 3);
    Json blocks = Json::array();
    for (std::size_t i = 0; i < random_.blocks.size(); ++i) {
      const Block& block = random_.blocks[i];
      Json& json = blocks.emplace_back(Json{{"name", block.name},
                                            {"layers", block.layers},
                                            {"trainable", block.trainable},
                                            {"profile", profile(random_.costs.blocks[i], bytes)}});
      if (block.beside_next) json["feeds"] = random_.blocks[fed_block(Model(random_.blocks), i)].name;
      if (work_ == Work::Measured) {
        const std::uint32_t replicas = static_cast<std::uint32_t>(measured[0].size());
        json["measured_work"] = measured_work(static_cast<std::uint32_t>(measured.size()), replicas,
                                              static_cast<std::uint32_t>(measured[0][0].size()));
      } else if (work_ == Work::Images && i == 0) {
        json["image_work"] = image_work();
      } else if (!random_.costs.blocks[i].work.empty()) {
        json["work_per_microbatch"] = random_.costs.blocks[i].work;
      }
    }
    return blocks;
  }

  Json schedules() {
    Json schedules = Json::array();
    for (std::uint32_t i = number(1, 2); i > 0; --i) {
      Json schedule = {{"name", "s" + std::to_string(i)}, {"schedule", to_string(random_.schedule)}};
      if (!random_.cut.boundaries.empty()) schedule["cut"] = random_.cut.boundaries;
      if (!random_.options.layers_per_rank.empty())
        schedule["layers_per_rank"] = random_.options.layers_per_rank;
      else if (one_in(3))
        schedule["split"] = one_in(3) ? "by-count" : "balanced";
      if (random_.options.microbatch_group != 0)
        schedule["microbatch_group"] = random_.options.microbatch_group;
      draw_options(schedule, work_ != Work::Stated, random_.options.pipeline.microbatches);
      schedules.push_back(std::move(schedule));
    }
    if (one_in(4)) schedules.push_back(listed());
    return schedules;
  }

  // Returns all forwards, then all backwards, as a user would write them.
  Json listed() {
    const auto [ranks, microbatches, replicas] = random_.options.pipeline;
    Json actions = Json::array();
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      std::string row;
      for (const char pass : {'F', 'B'})
        for (std::uint32_t m = 0; m < microbatches; ++m)
          row += (row.empty() ? "" : ",") + std::to_string(rank) + pass + std::to_string(m);
      actions.push_back(row);
    }
    return {{"name", "by hand"}, {"schedule", "listed"}, {"actions", actions}};
  }

  RandomDerivation random_;
  Work work_;
};

}  // namespace

void draw_options(Json& schedule, bool drawn, std::uint32_t microbatches) {
  const std::string text = schedule["schedule"];
  if (text.starts_with("transpose")) {
    const auto& policies = kOwnerPolicies;
    const bool small = microbatches <= 5;  // searching a map prices the step hundreds of times
    schedule["owner"] =
        std::string(policies[number(0, static_cast<std::uint32_t>(policies.size()) - (small ? 1 : 2))].first);
    if (one_in(3)) schedule["owner_from"] = drawn && one_in(2) ? "draw" : "expected";
  }
  if (one_in(3))
    schedule["order"] =
        any_of<std::string>({"as-sampled", "heaviest-first", "lightest-first", "fill-intervals",
                             microbatches <= 5 ? "makespan" : "heaviest-first"});
}

Json given_document() {
  return GivenDraw().document();
}

Json image_work() {
  Json work = {{"profile_patches", number(500, 5000)},
               {"trace", shipped("workloads/traces/" +
                                 any_of<std::string>({"coco_val2017.csv", "mathvista_testmini.csv",
                                                      "servegen_image_tokens.csv"}))},
               {"images_per_sample", number(1, 3)}};
  if (one_in(2)) work["text_only_share"] = number(1, 9) * 0.1;
  if (one_in(3)) {
    work["packing"] = "packed";
    work["text_tokens"] = number(100, 2000);
    work["sequence_tokens"] = number(8, 16) * 1024;
  } else {
    work["samples_per_microbatch"] = number(1, 4);
  }
  return work;
}

std::string shipped(const std::string& path) {
  return SPILLWAY_SOURCE_DIR "/" + path;
}

}  // namespace spillway::testing
