#include "input/platform/framework_reader.h"

#include <string_view>
#include <utility>
#include <vector>

#include "base/printable.h"
#include "input/platform/sourced.h"
#include "json/changed_document.h"
#include "platform/framework_figures.h"

namespace spillway {
namespace {

constexpr Range kTwoOrFour{.at_least = 2, .at_most = 4, .expected = "2 or 4"};

void read_attention_choice(const Place& place, Framework& framework) {
  const Fields fields(place, {"kernel", "kind", "source", "otherwise"});
  const auto kernel = fields.need("kernel", read_text);
  const auto kind = fields.need("kind", read_evidence);
  const auto source = fields.need("source", read_text);
  if (const auto otherwise = fields.get("otherwise", read_text)) {
    framework.own_attention_otherwise = true;  // so that a wrong word is the only complaint
    if (*otherwise != "accelerator")
      place.findings->add(child(place.pointer, "otherwise"), "\"accelerator\"", in_quotes(*otherwise));
  }
  if (kernel && kind && source) framework.attention = Sourced<std::string>{*kernel, *kind, *source};
}

using Keys = std::vector<std::string_view>;

constexpr std::string_view kHidden = "hidden/";

bool is_hidden(std::string_view key) {
  return key.starts_with(kHidden);
}

// Returns the keys of "hidden".
Keys hidden_keys() {
  Keys keys;
  const Framework none;
  each_other_figure(none, [&](const auto& form, const auto&) {
    if (is_hidden(form.key)) keys.push_back(form.key.substr(kHidden.size()));
  });
  return keys;
}

Keys framework_keys() {
  Keys keys = {"schema", "name", "note"};
  const auto add = [&](const auto& form, const auto&) {
    if (!is_hidden(form.key)) keys.push_back(form.key);
  };
  const Framework none;
  each_host_time(none, add);
  for (const char* key :
       {"attention", "pads_values", "fused_loss", "recompute_stops_early", "scatter_gather"})
    keys.push_back(key);
  each_other_figure(none, add);
  for (const char* key : {"hidden", "operators", "encoder_operators"}) keys.push_back(key);
  return keys;
}

const Range& range_of(FigureRange range) {
  if (range == FigureRange::Share) return kShare;
  return range == FigureRange::TwoOrFour ? kTwoOrFour : kNotNegative;
}

// Reads the numbers of a list (framework_figures.h).
class FigureReader {
 public:
  explicit FigureReader(const Fields& fields) : fields_(fields) {}

  template <class Value>
  void operator()(const FigureForm<Value>& form, auto& figure) {
    const auto read = sourced(form.unit, range_of(form.range));
    auto stated = is_hidden(form.key) ? read_hidden<Value>(form.key.substr(kHidden.size()), read)
                                      : fields_.get(form.key, read);
    if (stated) figure = *std::move(stated);
  }

 private:
  template <class Value>
  std::optional<Sourced<Value>> read_hidden(std::string_view key, auto read) {
    const auto place = fields_.at("hidden");
    if (!place) return std::nullopt;
    if (!hidden_) hidden_.emplace(*place, hidden_keys());
    return hidden_->get(key, read);
  }

  const Fields& fields_;
  std::optional<Fields> hidden_;
};

OperatorExecution read_execution(const Place& place, bool bound_by_memory) {
  const Fields fields(place, {"forward_kernels", "input_gradient_kernels", "weight_gradient_kernels",
                              "traffic", "gradient_traffic", "waits", "gradient_sum_bytes"});
  const auto figure = sourced(1.0, kPositive);
  OperatorExecution execution{fields.get("forward_kernels", figure),
                              fields.get("input_gradient_kernels", figure),
                              fields.get("weight_gradient_kernels", figure)};
  execution.waits = fields.get("waits", sourced(1.0, kNotNegative));
  execution.gradient_sum = fields.get("gradient_sum_bytes", sourced(Bytes(1), kPositive));
  if (bound_by_memory) {
    execution.traffic = fields.get("traffic", figure);
    execution.gradient_traffic = fields.get("gradient_traffic", figure);
  } else {
    for (const char* key : {"traffic", "gradient_traffic"})
      fields.forbid(key, "no such key, since matrix products and attention have no traffic factor");
  }
  return execution;
}

void read_executions(const Place& place, Framework::Operators& operators) {
  for (const auto& [name, execution] : read_members(place)) {
    if (is_operator_name(name))
      operators.emplace(name, read_execution(execution, is_bound_by_memory(name)));
    else
      place.findings->add(execution.pointer, "an operator: " + operator_names(), "this key");
  }
}

std::optional<Framework> read_unchecked_framework(const Fields& fields) {
  require_schema(fields, "spillway/framework/1");
  fields.get("note", read_text);
  const auto name = fields.need("name", read_text);
  Framework framework;
  FigureReader read_figure(fields);
  each_host_time(framework, read_figure);
  if (const auto attention = fields.at("attention")) read_attention_choice(*attention, framework);
  framework.pads_values = fields.get("pads_values", read_boolean).value_or(framework.pads_values);
  framework.fused_loss = fields.get("fused_loss", read_boolean).value_or(framework.fused_loss);
  framework.recompute_stops_early =
      fields.get("recompute_stops_early", read_boolean).value_or(framework.recompute_stops_early);
  framework.scatter_gather = fields.get("scatter_gather", read_boolean).value_or(framework.scatter_gather);
  each_other_figure(framework, read_figure);
  if (const auto operators = fields.at("operators")) read_executions(*operators, framework.operators);
  if (const auto operators = fields.at("encoder_operators"))
    read_executions(*operators, framework.encoder_operators);
  if (!name) return std::nullopt;
  framework.name = *name;
  return framework;
}

}  // namespace

std::optional<Framework> read_framework(const Place& place) {
  return read_unchecked_framework(Fields(place, framework_keys()));
}

Framework read_framework(const std::string& path, const Object& changes, const Files& files) {
  return read_changed_document<Framework>(path, "framework", changes, files, read_framework);
}

}  // namespace spillway
