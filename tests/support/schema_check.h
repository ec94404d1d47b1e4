// Checks documents against the schemas that users get. The validator is all templates, so it is compiled
// once.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace spillway::testing {

class SchemaCheck {
 public:
  // Takes the same `kind` as json_schema().
  explicit SchemaCheck(std::string_view kind);
  ~SchemaCheck();

  bool accepts(const nlohmann::json& document) const;
  // Returns the schema violations, one per line.
  std::string complaints(const nlohmann::json& document) const;

  // Returns the schema itself.
  const nlohmann::json& document() const;

 private:
  struct Compiled;
  std::unique_ptr<const Compiled> compiled_;
};

}  // namespace spillway::testing
