// One rule for every input: a key that changes nothing is reported. Tables say when keys change nothing.
// Private to src/input.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiment/experiment.h"
#include "json/node.h"

namespace spillway {

// Subject is the part of a job that the rule looks at.
template <class Subject>
struct IdleRule {
  std::string_view key;
  const char* (*why)(const Subject&);  // null if some value of the key would change something
};

// Adds the keys of `object` that the rules find idle. `object` may be null or no object; `pointer` is its
// place.
template <class Subject>
void add_idle(const Node* object, const std::string& pointer, std::span<const IdleRule<Subject>> rules,
              const Subject& subject, std::vector<IdleKey>& idle) {
  const auto* members = object ? std::get_if<Object>(&object->value) : nullptr;
  if (!members) return;
  for (const IdleRule<Subject>& rule : rules) {
    if (!find(*members, rule.key)) continue;
    if (const char* why = rule.why(subject)) idle.push_back({child(pointer, rule.key), why});
  }
}

// Returns true if the block runs a backward.
bool has_backward(const Experiment& experiment, std::size_t block);
// Returns true if any parameters have copies: in other replicas, or because a schedule places a layer on
// several ranks.
bool holds_copies(const Experiment& experiment);

// Each function covers its own sections of the document.
void add_idle_schedule_keys(const Node& document, const Experiment& experiment, std::vector<IdleKey>& idle);
void add_idle_given_keys(const Node& document, const Experiment& experiment, std::vector<IdleKey>& idle);
void add_idle_analytic_keys(const Node& document, const Experiment& experiment, std::vector<IdleKey>& idle);
void add_idle_workload_keys(const Node& document, const Experiment& experiment, std::vector<IdleKey>& idle);

// Returns the optional keys of an experiment's document that change no figure of `experiment`, whatever their
// values. Keys whose effect only a run can tell are not included. `experiment` was read from the document.
// Tables: idle_*_keys.cpp, tested by tests/laws and tests/evaluate/idle_keys_test.cpp.
std::vector<IdleKey> idle_keys(const Node& document, const Experiment& experiment);

}  // namespace spillway
