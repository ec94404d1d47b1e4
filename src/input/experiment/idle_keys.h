// One rule for every input: a key that changes nothing is said.
// Tables of keys, and of when they change nothing. Private to src/input.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiment/experiment.h"
#include "json/node.h"

namespace spillway {

// Subject: what of a job the rule looks at.
template <class Subject>
struct IdleRule {
  std::string_view key;
  const char* (*why)(const Subject&);  // null where some value of the key would change something
};

// Adds those keys of `object` that the rules find idle, if it is there and an object; `pointer` is its place.
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

// Does the block run a backward?
bool has_backward(const Experiment& experiment, std::size_t block);
// Are there copies of any parameters: by replica, or because a schedule places a layer on several ranks?
bool holds_copies(const Experiment& experiment);

// Each looks at its own sections of the document.
void add_idle_schedule_keys(const Node& document, const Experiment& experiment, std::vector<IdleKey>& idle);
void add_idle_given_keys(const Node& document, const Experiment& experiment, std::vector<IdleKey>& idle);
void add_idle_analytic_keys(const Node& document, const Experiment& experiment, std::vector<IdleKey>& idle);
void add_idle_workload_keys(const Node& document, const Experiment& experiment, std::vector<IdleKey>& idle);

// The keys of an experiment's document, those that may be left out, that change no figure of `experiment`,
// read from it, whatever values they have. What cannot be told without running the job is not among them.
// Tables: idle_*_keys.cpp; tests/laws and tests/evaluate/idle_keys_test.cpp hold them.
std::vector<IdleKey> idle_keys(const Node& document, const Experiment& experiment);

}  // namespace spillway
