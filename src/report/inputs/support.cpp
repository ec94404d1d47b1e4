#include "report/inputs/support.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/version.h"
#include "cost/layers/parameter_parts.h"
#include "json/dumped.h"
#include "words/table.h"
#include "words/with_commas.h"
#include "words/wording.h"

namespace spillway {
namespace {

using Json = nlohmann::ordered_json;

struct Counts {
  std::uint64_t parameters = 0, active = 0;
};

// Returns nothing if a part is refused.
std::optional<Counts> counts(const std::vector<SupportedPart>& parts) {
  Counts sum;
  for (const SupportedPart& part : parts) {
    if (!part.architecture) return std::nullopt;
    for (const ParameterPart& one : parameter_parts(layer_stack(*part.architecture))) {
      sum.parameters += one.parameters;
      sum.active += one.active;
    }
  }
  return sum;
}

Json count_json(const std::optional<Counts>& sum, std::uint64_t Counts::*count) {
  return sum ? Json((*sum).*count) : Json(nullptr);
}

Json refused_json(const SupportedPart& part) {
  Json all = Json::array();
  for (const Violation& violation : part.refused)
    all.push_back(
        {{"pointer", violation.pointer}, {"expected", violation.expected}, {"found", violation.found}});
  return all;
}

Json parts_json(const SupportedPart& part) {
  if (!part.architecture) return nullptr;
  Json all = Json::object();
  for (const ParameterPart& one : parameter_parts(layer_stack(*part.architecture)))
    all[std::string(one.name)] = one.parameters;
  return all;
}

Json part_json(const SupportedPart& part) {
  const std::optional<Counts> sum = counts({part});
  return {{"name", part.name},
          {"section", part.section},
          {"model_type", part.model_type},
          {"covered", part.architecture.has_value()},
          {"layers", part.architecture ? Json(layer_count(*part.architecture)) : Json(nullptr)},
          {"parameters", count_json(sum, &Counts::parameters)},
          {"active_parameters", count_json(sum, &Counts::active)},
          {"parameters_by_part", parts_json(part)},
          {"assumed", part.assumes},
          {"refused", refused_json(part)},
          {"keys", {{"read", part.read}, {"change_nothing", part.idle}}}};
}

std::string part_table(const Architecture& architecture) {
  TableRows rows = {{"parameters", "all", "active"}};
  Counts sum;
  for (const ParameterPart& one : parameter_parts(layer_stack(architecture))) {
    rows.push_back({std::string(one.name), with_commas(one.parameters), with_commas(one.active)});
    sum.parameters += one.parameters;
    sum.active += one.active;
  }
  rows.push_back({"together", with_commas(sum.parameters), with_commas(sum.active)});
  return table_text(rows);
}

std::string supported_part_text(const SupportedPart& part) {
  const std::string type = part.model_type.empty() ? "" : " \"" + part.model_type + '"';
  const std::string where = part.section.empty() ? "" : " at " + part.section;
  std::string text =
      '\n' +
      wrapped("", part.name + type + where + (part.architecture ? ": covered" : ": refused"), kTableColumns);
  if (part.architecture)
    text += "  " + counted(layer_count(*part.architecture), "layer") + '\n' + part_table(*part.architecture);
  for (const std::string& assumed : part.assumes) text += wrapped("  assumed: ", assumed, kTableColumns);
  for (const Violation& violation : part.refused)
    text += wrapped(
        "  refused: ", violation.pointer + ": expected " + violation.expected + ", found " + violation.found,
        kTableColumns);
  if (!part.idle.empty()) {
    std::string keys;
    for (const std::string& key : part.idle) keys += (keys.empty() ? "" : ", ") + key;
    text += wrapped("  change nothing: ", keys, kTableColumns);
  }
  return text;
}

}  // namespace

std::string support_json(const std::string& file, const std::vector<SupportedPart>& parts) {
  const std::optional<Counts> sum = counts(parts);
  Json all = Json::array();
  for (const SupportedPart& part : parts) all.push_back(part_json(part));
  return dumped(Json{{"schema", "spillway/support/1"},
                     {"program", program_version()},
                     {"file", file},
                     {"covered", sum.has_value()},
                     {"parameters", count_json(sum, &Counts::parameters)},
                     {"active_parameters", count_json(sum, &Counts::active)},
                     {"parts", all}},
                2) +
         '\n';
}

std::string support_text(const std::string& file, const std::vector<SupportedPart>& parts) {
  const std::optional<Counts> sum = counts(parts);
  std::string text = wrapped("",
                             sum ? fmt::format("{} is covered: {} parameters, {} of them active for a token",
                                               file, with_commas(sum->parameters), with_commas(sum->active))
                                 : file + " is not covered as a whole",
                             kTableColumns);
  for (const SupportedPart& part : parts) text += supported_part_text(part);
  return text;
}

}  // namespace spillway
