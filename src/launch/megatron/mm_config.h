// Reading of MindSpeed-MM's model.json that its models share. Private to src/launch.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "launch/command/arguments.h"
#include "launch/megatron/model.h"

namespace spillway {

inline constexpr std::string_view kMmDecoder = "mm.text_decoder.";
inline constexpr std::string_view kMmEncoder = "mm.image_encoder.vision_encoder.";

class MmConfig {
 public:
  explicit MmConfig(Arguments& arguments) : arguments_(arguments) {}

  // A size that the file must state; a missing one is a finding.
  std::uint32_t needed(std::string_view part, std::string_view key);
  // A finding if the file states another word.
  void expect(const std::string& name, std::string_view value);
  std::vector<std::uint32_t> numbers_of(std::string_view name);
  // The decoder's sizes under the names of config.json, into `config`.
  void add_decoder_sizes(Object& config);
  // Whether the tower is trained, its layers of each rank, and whether it is recomputed.
  MegatronEncoder encoder();

  Arguments& arguments() { return arguments_; }

 private:
  Arguments& arguments_;
};

// The config.json of a model.json with model_id InternVL; sets the encoder of `model`, too.
Node read_mm_internvl(MmConfig& file, MegatronModel& model);

}  // namespace spillway
