// Every key counts but those listed here, so that a new key of experiments is never dropped without a word.
// Test: tests/ask/replaced_terms_test.cpp.
#include "ask/replaced_terms.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "json/document.h"
#include "json/shipped_files.h"

namespace spillway {
namespace {

// Keys that make the layout, that describe, or that are compared once they are read.
constexpr auto kElsewhere = std::to_array<std::string_view>(
    {"schema", "name", "note", "assumptions", "pipeline", "parallel", "schedules", "baseline", "platform",
     "framework", "framework_set", "model", "workload"});
constexpr auto kLayoutKeys = std::to_array<std::string_view>({"tensor", "context", "expert", "data"});

const Object& members_of(const Node* node) {
  static const Object kNone;
  const auto* members = node ? std::get_if<Object>(&node->value) : nullptr;
  return members ? *members : kNone;
}

class Differences {
 public:
  void compare(const Object& own, const Object& planned, std::span<const std::string_view> except,
               const std::string& before) {
    for (const Member& member : own) {
      const Node* other = find(planned, member.key);
      if (!other || !(*other == member.value)) add(member.key, except, before);
    }
    for (const Member& member : planned)
      if (!find(own, member.key)) add(member.key, except, before);
  }

  std::vector<std::string> found = {};

 private:
  void add(const std::string& key, std::span<const std::string_view> except, const std::string& before) {
    if (std::ranges::find(except, key) == except.end()) found.push_back(before + key);
  }
};

bool is_same_model(const Experiment& own, const Experiment& planned) {
  return own.model == planned.model && on_platform(own.costs)->blocks == on_platform(planned.costs)->blocks;
}

// The size of a microbatch is part of the layout.
bool is_same_workload(const Experiment& own, const Experiment& planned) {
  WorkloadSpec workload = std::get<AnalyticExperiment>(own.costs).workload;
  const WorkloadSpec& other = std::get<AnalyticExperiment>(planned.costs).workload;
  workload.samples_per_microbatch = other.samples_per_microbatch;
  workload.sequences_per_microbatch = other.sequences_per_microbatch;
  return workload == other;
}

// The platform itself, wherever it stands. Contract: `document` was read as an experiment.
Node platform_of(const Object& document) {
  const Node& stated = *find(document, "platform");
  const auto* name = std::get_if<std::string>(&stated.value);
  Findings findings;
  return name ? *read_json(shipped_or(*name, "platform"), findings) : stated;
}

}  // namespace

std::vector<std::string> replaced_terms(const StatedExperiment& own, const StatedExperiment& planned) {
  Differences all;
  const Object &mine = members_of(&own.document), &theirs = members_of(&planned.document);
  all.compare(mine, theirs, kElsewhere, "");
  all.compare(members_of(find(mine, "parallel")), members_of(find(theirs, "parallel")), kLayoutKeys,
              "parallel/");
  if (!(platform_of(mine) == platform_of(theirs))) all.found.emplace_back("platform");
  if (!is_same_workload(own.experiment, planned.experiment)) all.found.emplace_back("workload");
  if (!is_same_model(own.experiment, planned.experiment)) all.found.emplace_back("model");
  return std::move(all.found);
}

}  // namespace spillway
