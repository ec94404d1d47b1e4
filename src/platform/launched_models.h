// What the models of a framework are: which it trains, and how it places them on a pipeline. Statements of
// fact about a version of its code, which change no time of a layout but say which layouts it can run.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "platform/evidence.h"

namespace spillway {

// The models that a framework trains. A family is the model_type of a config.json: "qwen2_5_vl".
struct TrainedModels {
  bool text = true;                      // language models alone
  bool any_images = false;               // models behind an encoder of images, of every family
  std::vector<std::string> images = {};  // of these families
  Evidence evidence = Evidence::Assumed;
  std::string source = {};

  bool trains_images() const { return any_images || !images.empty(); }
  bool trains_images_of(std::string_view family) const {
    return any_images || std::ranges::find(images, family) != images.end();
  }
};

// The numbers of layers that stages may have:
//   Any   every stage its own
//   Ends  all as many, the first ones one more if they do not divide; the first and the last may have fewer
enum class StageLayerCounts : std::uint8_t { Any, Ends };
inline constexpr std::array<std::pair<std::string_view, StageLayerCounts>, 2> kStageLayerCounts{
    {{"any", StageLayerCounts::Any}, {"ends", StageLayerCounts::Ends}}};

struct PlacedStages {
  StageLayerCounts layers = StageLayerCounts::Any;
  // The first stage has the whole encoder, with the embedding and a first layer of the language model.
  bool encoder_first = false;
  Evidence evidence = Evidence::Assumed;
  std::string source = {};
};

}  // namespace spillway
