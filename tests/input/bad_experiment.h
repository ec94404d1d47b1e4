// A good experiment, and the messages that it gets with one part wrong.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "written.h"

namespace spillway {

inline const std::string kGood = R"({
  "schema": "spillway/experiment/1", "name": "x",
  "pipeline": { "ranks": 2, "microbatches": 3 },
  "model": { "blocks": [
    { "name": "enc", "layers": 2, "trainable": false,
      "profile": { "forward_ms": 1, "input_gradient_ms": 1, "weight_gradient_ms": 1 } },
    { "name": "llm", "layers": 4,
      "profile": { "forward_ms": 1, "input_gradient_ms": 1, "weight_gradient_ms": 1 } } ] },
  "network": { "p2p_ms": 0.5 },
  "schedules": [ { "name": "a", "schedule": "transpose,1f1b", "cut": [2] } ]
})";

// Returns kGood with one part of its text replaced.
inline Lines with(const std::string& part, const std::string& replacement) {
  std::string text = kGood;
  const std::size_t at = text.find(part);
  EXPECT_NE(at, std::string::npos) << part;
  return experiment_complaints(text.replace(at, part.size(), replacement));
}

}  // namespace spillway
