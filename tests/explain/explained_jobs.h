// Small jobs to be explained.
#pragma once

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "explain/schedule_alone.h"
#include "input/experiment/experiment.h"

namespace spillway {

using JobJson = nlohmann::ordered_json;

inline std::string shipped(const std::string& path) {
  return std::string(SPILLWAY_SOURCE_DIR) + "/" + path;
}

inline std::string slurp(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline Experiment read_job(const JobJson& job, const std::vector<Setting>& settings) {
  return parse_experiment(job.dump(), "job.json", settings);
}

inline Experiment read_alone(const JobJson& job, std::size_t schedule, const std::vector<Setting>& settings) {
  return parse_schedule_alone(job.dump(), "job.json", settings, {schedule, read_job(job, {}).equal_terms});
}

// An encoder and a backbone under "mpipe", then under "baseline".
inline JobJson given_job() {
  JobJson job = JobJson::parse(slurp(shipped("workloads/experiments/small.json")));
  job["network"]["p2p"] = "blocking";
  return job;
}

// A layer takes 1, 2 and 3 ms; transfers take no time.
inline JobJson plain_job() {
  return JobJson::parse(R"({
    "schema": "spillway/experiment/1", "name": "plain", "pipeline": { "ranks": 2, "microbatches": 4 },
    "model": { "blocks": [ { "name": "llm", "role": "backbone", "layers": 4, "trainable": true,
      "profile": { "forward_ms": 1, "input_gradient_ms": 2, "weight_gradient_ms": 3 } } ] },
    "schedules": [ { "name": "s", "schedule": "1f1b" } ] })");
}

// Four layers of Llama 3 8B on two ranks of two devices.
inline JobJson priced_job() {
  JobJson job = JobJson::parse(R"({
    "schema": "spillway/experiment/1", "name": "priced", "pipeline": { "ranks": 2, "microbatches": 4 },
    "workload": { "sequence_tokens": 2048, "sequences_per_microbatch": 1 }, "parallel": { "tensor": 2 },
    "schedules": [ { "name": "s", "schedule": "1f1b" } ] })");
  job["platform"] = shipped("platforms/cloudmatrix384.json");
  job["model"]["blocks"] = {{{"name", "llm"},
                             {"role", "backbone"},
                             {"trainable", true},
                             {"layers", 4},
                             {"architecture", shipped("workloads/models/llama-3-8b/config.json")}}};
  return job;
}

}  // namespace spillway
