// Documents held against the schemas that users get. Compiled once: the validator is all templates.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace spillway::testing {

class SchemaCheck {
 public:
  // `kind` as json_schema() takes it.
  explicit SchemaCheck(std::string_view kind);
  ~SchemaCheck();

  bool accepts(const nlohmann::json& document) const;
  // What is wrong, a line each.
  std::string complaints(const nlohmann::json& document) const;

  // The schema's own text.
  const nlohmann::json& document() const;

 private:
  struct Compiled;
  std::unique_ptr<const Compiled> compiled_;
};

}  // namespace spillway::testing
