// A small program as a document, changed at one place.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/error.h"
#include "support/programs.h"

namespace spillway::testing {

using Json = nlohmann::ordered_json;
using Lines = std::vector<std::string>;

inline Lines complaints(const std::string& text) {
  try {
    program_from(text);
  } catch (const InputError& error) {
    Lines lines;
    for (const Violation& violation : error.violations()) lines.push_back(to_string(violation));
    return lines;
  }
  return {};
}

// Two ranks, two microbatches, one trained stage each, two replicas: messages, reductions, updates.
inline Json small_document() {
  const Model model({{"llm", Role::Backbone, 2, true}});
  DeriveOptions options{.pipeline = {2, 2, 2}};
  const Derived derived = derive(model, schedule("1f1b"), {}, options);
  return Json::parse(text_of(lowered(derived, uniform_costs(1, 1, 1, 0.25))));
}

inline Json& actions_of(Json& document, std::size_t program) {
  return document["programs"][program]["actions"];
}

// Returns the index of the rank's action number `number` of this op, from 0.
inline std::size_t index_of(Json& document, std::size_t program, const std::string& op,
                            std::size_t number = 0) {
  const Json& actions = actions_of(document, program);
  for (std::size_t index = 0; index < actions.size(); ++index)
    if (actions[index]["op"] == op && number-- == 0) return index;
  throw std::out_of_range(op);
}

inline Json& action_of(Json& document, std::size_t program, const std::string& op, std::size_t number = 0) {
  return actions_of(document, program)[index_of(document, program, op, number)];
}

// Changes the small document at one place.
inline Lines after(const std::function<void(Json&)>& change) {
  Json document = small_document();
  change(document);
  return complaints(document.dump());
}

}  // namespace spillway::testing
