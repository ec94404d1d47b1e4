// Jobs small enough that every layout of them can be evaluated.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "search/job.h"
#include "search/layout_evaluator.h"
#include "search/search.h"
#include "written.h"

namespace spillway {

using JobJson = nlohmann::ordered_json;

// Four layers of a language model on 8 or 16 devices.
inline JobJson text_job() {
  JobJson job = JobJson::parse(R"({
    "schema": "spillway/plan/1", "name": "small",
    "workload": { "sequence_tokens": 2048 }, "batch": { "sequences": 16 }, "tokens": 1e9,
    "search": { "all": true, "recompute": ["none", "full"], "schedules": ["1f1b", "1f1b,1f1b", "zb-h1", "zb-v", "gpipe",
                "dualpipev", { "schedule": "1f1b", "split": "by-count" }] } })");
  job["model"]["blocks"] = {{{"name", "llm"},
                             {"role", "backbone"},
                             {"trainable", true},
                             {"layers", 4},
                             {"architecture", shipped("workloads/models/llama-3-8b/config.json")}}};
  job["clusters"] = {
      {{"platform", shipped("platforms/hgx-h100.json")}, {"devices", {8, 16}}, {"frameworks", "none"}}};
  return job;
}

// Puts an encoder before it, with images as in production.
inline JobJson image_job() {
  JobJson job = text_job();
  const std::string config = shipped("workloads/models/qwen2-vl-2b/config.json");
  job["model"]["blocks"] = {
      {{"name", "enc"}, {"role", "encoder"}, {"trainable", true}, {"layers", 2}, {"architecture", config}},
      {{"name", "llm"}, {"role", "backbone"}, {"trainable", true}, {"layers", 4}, {"architecture", config}}};
  job["workload"] = {{"trace", shipped("workloads/traces/servegen_image_tokens.csv")},
                     {"images_per_sample", shipped("workloads/traces/servegen_images_per_request.csv")},
                     {"text_tokens", shipped("workloads/traces/servegen_text_tokens.csv")},
                     {"packing", "packed"},
                     {"sequence_tokens", 8192}};
  job["search"].erase("schedules");
  job["draws"] = 2;
  return job;
}

// A job with every system that takes a trained encoder.
inline JobJson systems_job() {
  JobJson job = image_job();
  job["batch"]["sequences"] = 8;
  job["clusters"][0]["devices"] = {8};
  job["search"]["data"] = {"zero1"};
  job["search"]["schedules"] = {{{"system", "megatron"}},
                                {{"system", "megatron-balanced"}, {"body", "1f1b,1f1b"}},
                                {{"system", "disttrain"}},
                                {{"system", "disttrain"}, {"encoder_ranks", 1}},
                                {{"system", "encode-first"}, {"body", "1f1b,1f1b"}},
                                {{"system", "encode-in-bubbles"}, {"body", "zb-h1"}},
                                {{"system", "mpipe"}, {"split", "balanced"}, {"owner", "min-max"}},
                                {{"system", "optimus"}},
                                {{"system", "orchmllm"}},
                                {{"system", "entrain"}, {"body", "1f1b,1f1b"}},
                                {{"system", "disttrain"}, {"balance_samples", true}},
                                {{"system", "mimo"}, {"body", "1f1b,1f1b"}},
                                {{"system", "mimo"}, {"macro_batch", 2}},
                                {{"system", "mpipe"}, {"moves_samples", true}},
                                {{"system", "megatron"}, {"chunks", 2}, {"moves_samples", true}}};
  return job;
}

inline PlanJob job_from(const JobJson& document) {
  return read_plan_job(written("job.json", document.dump()));
}

// Searches with one worker; `threads` threads compute the bounds.
inline SearchResult searched(const PlanJob& job, const std::vector<PlanLayout>& layouts, std::size_t top,
                             unsigned threads = 1) {
  LayoutEvaluator evaluator(job, layouts);
  const ComputeRound one_by_one = [&](const std::vector<std::size_t>& points, const Keep& keep) {
    for (const std::size_t point : points) {
      std::vector<FinishedPoint> finished;
      finished.push_back({point, evaluator(point)});
      keep(std::move(finished));
    }
  };
  return search_plans(job, layouts, evaluator.layers(), top, one_by_one, threads);
}

}  // namespace spillway
