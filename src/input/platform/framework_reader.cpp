#include "input/platform/framework_reader.h"

#include <utility>

#include "input/platform/sourced.h"
#include "json/changed_document.h"

namespace spillway {
namespace {

constexpr Range kGradientBytes{.at_least = 2, .at_most = 4, .expected = "2 or 4"};

std::optional<Sourced<std::string>> read_attention(const Place& place) {
  const Fields fields(place, {"kernel", "kind", "source"});
  const auto kernel = fields.need("kernel", read_text);
  const auto kind = fields.need("kind", read_evidence);
  const auto source = fields.need("source", read_text);
  if (!kernel || !kind || !source) return std::nullopt;
  return Sourced<std::string>{*kernel, *kind, *source};
}

void read_hidden(const Place& place, Framework& framework) {
  const Fields fields(place, {"tensor", "chunks", "data", "gradients", "parameters", "fused"});
  const auto share = sourced(1.0, kShare);
  framework.hidden_tensor = fields.get("tensor", share).value_or(framework.hidden_tensor);
  framework.hidden_chunks = fields.get("chunks", share);
  framework.hidden_data = fields.get("data", share).value_or(framework.hidden_data);
  framework.hidden_gradients = fields.get("gradients", share).value_or(framework.hidden_gradients);
  framework.hidden_parameters = fields.get("parameters", share).value_or(framework.hidden_parameters);
  framework.hidden_fused = fields.get("fused", share).value_or(framework.hidden_fused);
}

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
  framework.launch = fields.get("launch_us", sourced(microseconds(1), kNotNegative));
  framework.message =
      fields.get("message_us", sourced(microseconds(1), kNotNegative)).value_or(framework.message);
  framework.update =
      fields.get("update_us", sourced(microseconds(1), kNotNegative)).value_or(framework.update);
  framework.attention = fields.get("attention", read_attention);
  framework.pads_values = fields.get("pads_values", read_boolean).value_or(framework.pads_values);
  framework.fused_loss = fields.get("fused_loss", read_boolean).value_or(framework.fused_loss);
  framework.recompute_stops_early =
      fields.get("recompute_stops_early", read_boolean).value_or(framework.recompute_stops_early);
  framework.scatter_gather = fields.get("scatter_gather", read_boolean).value_or(framework.scatter_gather);
  framework.gradient =
      fields.get("gradient_bytes", sourced(Bytes(1), kGradientBytes)).value_or(framework.gradient);
  if (const auto hidden = fields.at("hidden")) read_hidden(*hidden, framework);
  framework.gradient_bucket =
      fields.get("gradient_bucket_mb", sourced(Bytes(1e6), kNotNegative)).value_or(framework.gradient_bucket);
  framework.stage_kernels =
      fields.get("stage_kernels", sourced(1.0, kNotNegative)).value_or(framework.stage_kernels);
  if (const auto operators = fields.at("operators")) read_executions(*operators, framework.operators);
  if (const auto operators = fields.at("encoder_operators"))
    read_executions(*operators, framework.encoder_operators);
  if (!name) return std::nullopt;
  framework.name = *name;
  return framework;
}

}  // namespace

std::optional<Framework> read_framework(const Place& place) {
  return read_unchecked_framework(
      Fields(place, {"schema", "name", "note", "launch_us", "message_us", "update_us", "attention",
                     "pads_values", "fused_loss", "recompute_stops_early", "scatter_gather", "gradient_bytes",
                     "gradient_bucket_mb", "stage_kernels", "hidden", "operators", "encoder_operators"}));
}

Framework read_framework(const std::string& path, const Object& changes, const Files& files) {
  return read_changed_document<Framework>(path, "framework", changes, files, read_framework);
}

}  // namespace spillway
