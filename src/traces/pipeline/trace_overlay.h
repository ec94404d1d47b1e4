// A user's experiment laid over one made from a trace (trace_experiment.h says how). Private to
// src/traces.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/error.h"

namespace spillway {

// Name of the block of a stage.
std::string stage_name(std::size_t stage);

class TraceOverlay {
 public:
  // `layers` of each stage where the text does not say. Throws InputError as trace_experiment does.
  TraceOverlay(const std::string& text, const std::string& file, std::vector<std::uint32_t> layers);

  // Of each stage, with what the text says.
  const std::vector<std::uint32_t>& layers() const { return layers_; }

  // The document, which has these layers, with the text over it.
  std::string over(const std::string& text_of_document) const;

 private:
  // What is wrong with the blocks; the layers that they name are taken over.
  std::vector<Violation> read_blocks();

  nlohmann::ordered_json changes_;
  std::string file_;
  std::vector<std::uint32_t> layers_;
};

}  // namespace spillway
