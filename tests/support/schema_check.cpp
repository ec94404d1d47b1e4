#include "support/schema_check.h"

#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include "json/schema.h"

namespace spillway::testing {

using valijson::adapters::NlohmannJsonAdapter;

struct SchemaCheck::Compiled {
  explicit Compiled(nlohmann::json text) : document(std::move(text)) {
    valijson::SchemaParser(valijson::SchemaParser::kDraft7)
        .populateSchema(NlohmannJsonAdapter(document), schema);
  }

  nlohmann::json document;
  valijson::Schema schema;
};

SchemaCheck::SchemaCheck(std::string_view kind)
    : compiled_(std::make_unique<const Compiled>(nlohmann::json::parse(json_schema(kind).value()))) {}

SchemaCheck::~SchemaCheck() = default;

bool SchemaCheck::accepts(const nlohmann::json& document) const {
  return valijson::Validator().validate(compiled_->schema, NlohmannJsonAdapter(document), nullptr);
}

std::string SchemaCheck::complaints(const nlohmann::json& document) const {
  valijson::ValidationResults results;
  valijson::Validator().validate(compiled_->schema, NlohmannJsonAdapter(document), &results);
  std::string text;
  for (valijson::ValidationResults::Error error; results.popError(error);) {
    for (const std::string& part : error.context) text += part;
    text += ": " + error.description + '\n';
  }
  return text;
}

const nlohmann::json& SchemaCheck::document() const {
  return compiled_->document;
}

}  // namespace spillway::testing
