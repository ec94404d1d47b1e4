// Every way to spoil a document at one place.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace spillway {

struct Mutation {
  std::string what;  // "remove /pipeline/ranks"
  nlohmann::json document;
};

// Returns the document with each key removed and renamed, each value replaced by one of another JSON type,
// and each number by -1 and by 0.5.
std::vector<Mutation> mutations_of(const nlohmann::json& document);

}  // namespace spillway
