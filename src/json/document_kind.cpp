#include "json/document_kind.h"

#include <array>
#include <optional>
#include <string>
#include <utility>

namespace spillway {
namespace {

constexpr std::string_view kPrefix = "spillway/";

// A description of a kind, and the command that takes it.
using KindWords = std::pair<std::string_view, std::string_view>;
constexpr std::array<KindWords, 16> kKinds = {
    {{"experiment", "an experiment: spillway run, explain and derive take it, and a sweep names it"},
     {"sweep", "a sweep: spillway sweep runs it"},
     {"platform", "a platform: an experiment names it"},
     {"framework", "a framework: an experiment names it"},
     {"cases", "a table of measured steps: spillway validate, calibrate and explain --case take it"},
     {"program",
      "a program, which spillway derive --format program prints: spillway derive --check and execute take "
      "it"},
     {"report", "a report, which spillway run --json prints: spillway compare takes it"},
     {"explanation", "an explanation, which spillway explain --json prints: no input"},
     {"validation", "a validation, which spillway validate --json prints: no input"},
     {"comparison", "a comparison, which spillway compare --json prints: no input"},
     {"plan", "a job: spillway plan takes it"},
     {"known-errors", "known errors, which spillway plan reads by itself: no input"},
     {"layout-explanation", "a layout explained, which spillway plan --explain --json prints: no input"},
     {"plans", "plans, which spillway plan --json prints: no input"},
     {"synthesis", "a synthesis, which spillway synthesize --json prints: no input"},
     {"twin", "a twin, which spillway twin --json prints: no input"}}};
// Other programs' files, by a key that they have.
constexpr std::array<KindWords, 4> kForeign = {
    {{"model_type", "a model's configuration: a block of an experiment names it as its architecture"},
     {"architectures", "a model's configuration: a block of an experiment names it as its architecture"},
     {"traceEvents", "a trace: spillway validate and import take it, and run as --workload"},
     {"image_processor_type", "an image processor's configuration: it stands beside a model's"}}};

std::optional<std::string_view> schema_of(const Object& document) {
  const Node* schema = find(document, "schema");
  const auto* text = schema ? std::get_if<std::string>(&schema->value) : nullptr;
  return text ? std::optional<std::string_view>(*text) : std::nullopt;
}

// "sweep" of "spillway/sweep/1".
std::string_view kind_in(std::string_view schema) {
  if (!schema.starts_with(kPrefix)) return {};
  schema.remove_prefix(kPrefix.size());
  return schema.substr(0, schema.find('/'));
}

const KindWords* words_of(std::string_view kind) {
  for (const KindWords& words : kKinds)
    if (words.first == kind) return &words;
  return nullptr;
}

const KindWords* foreign(const Object& document) {
  for (const KindWords& words : kForeign)
    if (find(document, words.first)) return &words;
  return nullptr;
}

}  // namespace

bool is_another_kind(const Node& document, std::string_view kind, Findings& findings) {
  const auto* object = std::get_if<Object>(&document.value);
  if (!object) return false;
  const std::optional<std::string_view> schema = schema_of(*object);
  const KindWords* words = schema ? words_of(kind_in(*schema)) : foreign(*object);
  if (!words || (schema && words->first == kind)) return false;
  findings.add(schema ? "/schema" : "/", '"' + std::string(kPrefix) + std::string(kind) + "/1\"",
               (schema ? describe({std::string(*schema)}) + ", " : "") + std::string(words->second));
  return true;
}

}  // namespace spillway
