// Builds small sweeps for tests from the parts that a test is about.
#pragma once

#include <string>
#include <vector>

namespace spillway {

// An experiment of one block, without the braces around it, so that keys can be added.
inline const std::string kSweptExperiment = R"("schema": "spillway/experiment/1", "name": "x",
  "pipeline": { "ranks": 2, "microbatches": 4 }, "network": { "p2p_ms": 0 },
  "model": { "blocks": [ { "name": "llm", "layers": 4,
    "profile": { "forward_ms": 1, "input_gradient_ms": 1, "weight_gradient_ms": 1 } } ] },
  "schedules": [ { "name": "a", "schedule": "1f1b" } ])";

// An axis of three values.
inline const std::string kRanks = R"({"pointer": "/pipeline/ranks", "values": [1, 2, 4]})";

// `more` holds further keys, each after a comma.
inline std::string sweep_text(const std::string& axes, const std::string& more = "",
                              const std::string& experiment = kSweptExperiment) {
  return R"({ "schema": "spillway/sweep/1", "experiment": { )" + experiment + R"( }, "axes": [)" + axes +
         "]" + more + " }";
}

}  // namespace spillway
