// The stages of a pipeline in Megatron-LM's words.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/findings.h"

namespace spillway {

// What a stage holds: E, t, m and L of --pipeline-model-parallel-layout.
struct StageParts {
  std::uint32_t embedding = 0, decoder = 0, prediction = 0, loss = 0;

  std::uint32_t all() const { return embedding + decoder + prediction + loss; }
  friend bool operator==(const StageParts&, const StageParts&) = default;
};

// Reads "Ett|(tt|)*5mL": a part in brackets or a single letter may be followed by *N; commas and blanks
// separate nothing. Returns the stages in their order; none if a finding was added at `place`. Source:
// megatron/core/transformer/pipeline_parallel_layer_layout.py, parse_str_to_list.
std::vector<StageParts> read_pipeline_layout(std::string_view text, const std::string& place,
                                             Findings& findings);

// The same as a text, with equal neighbours as "*N": "Et*2|(t*2|)*5m|L".
std::string pipeline_layout_text(const std::vector<StageParts>& stages);

}  // namespace spillway
