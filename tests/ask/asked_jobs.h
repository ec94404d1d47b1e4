// Layouts asked about in small jobs.
#pragma once

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>

#include "ask/explained_layout.h"
#include "cost/network/parallelism.h"
#include "json/word_of.h"
#include "small_jobs.h"

namespace spillway {

// The choices that the searches of these tests show.
inline constexpr std::size_t kAskedTop = 5;

struct Explained {
  AskedLayout asked;
  SearchResult result;
  ExplainedLayout explained;

  std::string text() const { return explained_layout_text(asked, explained, result); }
  nlohmann::json json() const {
    return nlohmann::json::parse(explained_layout_json(asked, explained, result));
  }
};

inline Explained explained_in(const PlanJob& job, const std::string& layout) {
  AskedLayout asked = asked_layout(job, layout);
  SearchResult result = searched(job, legal_layouts(job), kAskedTop);
  ExplainedLayout explained = explain_layout(asked, result, kAskedTop);
  return {std::move(asked), std::move(result), std::move(explained)};
}

inline JobJson eight_devices() {
  JobJson job = text_job();
  job["clusters"][0]["devices"] = {8};
  return job;
}

// Two clusters, each with some frameworks. No launch of them has zb-v.
inline JobJson framework_job() {
  JobJson job = eight_devices();
  job["search"]["schedules"] = {"1f1b", "zb-v"};
  job["clusters"][0]["frameworks"] = {"nanotron", "megatron-overlapped", "hf-fsdp2"};
  job["clusters"].push_back({{"platform", shipped("platforms/hgx-a100.json")},
                             {"devices", {8}},
                             {"frameworks", {"torchtitan-eager", "megatron-overlapped"}}});
  return job;
}

// A faster framework for which no launch is written, beside one that can launch: plan 1 is not the best.
inline JobJson job_with_a_faster_framework() {
  auto faster = JobJson::parse(content_of(shipped("platforms/frameworks/megatron-overlapped.json")));
  faster["name"] = "of the house";
  faster["step_end"]["norms"]["value"] = 1;
  JobJson document = eight_devices();
  document["search"]["schedules"] = {"1f1b", "zb-v"};
  document["clusters"][0]["frameworks"] = {"megatron-overlapped", written("house.json", faster.dump())};
  return document;
}

// Lines of an answer are wrapped.
inline std::string on_one_line(const std::string& text) {
  std::istringstream words(text);
  std::string line, word;
  while (words >> word) line += ' ' + word;
  return line;
}

// The text of a layout, in the form of asked_layout.h, without its cluster.
inline std::string text_without_place(const PlanJob& job, const PlanLayout& layout) {
  const auto number = [](std::uint32_t value) { return std::to_string(value); };
  return "P=" + number(layout.ranks) + " TP=" + number(layout.tensor) + " CP=" + number(layout.context) +
         " EP=" + number(layout.expert) + " R=" + number(layout.replicas) +
         " mb=" + number(layout.microbatch) + " devices=" + number(layout.devices) +
         " recompute=" + std::string(word_of(kRecomputes, layout.recompute)) + ' ' +
         std::string(word_of(kDataParallels, layout.data)) + ' ' + job.search.schedules[layout.schedule].name;
}

inline std::string text_of(const PlanJob& job, const PlanLayout& layout) {
  const JobCluster& cluster = job.clusters[layout.cluster];
  return text_without_place(job, layout) + " cluster=" + std::to_string(cluster.stated + 1) +
         (cluster.framework.empty() ? "" : " framework=" + cluster.framework);
}

}  // namespace spillway
