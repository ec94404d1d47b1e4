// The numbers of a framework, except those of its operators. Its reader, its check, `explain` and the
// intervals of a step go through these lists. A new number is a member of Framework, a row here, its key in
// framework.schema.json, and its user in cost.
#pragma once

#include <optional>
#include <string_view>

#include "platform/framework.h"

namespace spillway {

enum class FigureRange { FromZero, Share, TwoOrFour };

// Whether the intervals of a step draw it about its value (cost/unknowns.h). Always: also if it is not
// stated.
enum class FigureDraw { Never, IfStated, Always };

template <class Value>
struct FigureForm {
  std::string_view key;  // in the JSON form; "hidden/..." is a key of the object "hidden", and so on
  const char* name;      // as `explain` prints it
  Value unit;            // of the JSON form, and as printed
  const char* unit_name;
  FigureRange range;
  FigureDraw drawn;
};

constexpr FigureForm<Seconds> host_time(std::string_view key, const char* name, FigureDraw drawn) {
  return {key, name, microseconds(1), "us", FigureRange::FromZero, drawn};
}
constexpr FigureForm<double> hidden_share(std::string_view key, const char* name, FigureDraw drawn) {
  return {key, name, 1.0, "", FigureRange::Share, drawn};
}

// Each calls visit(form, member) for every number, in the order of reports.
void each_host_time(auto& framework, auto&& visit) {
  using enum FigureDraw;
  visit(host_time("launch_us", "launch of a kernel", IfStated), framework.launch);
  visit(host_time("graph_launch_us", "launch of a graph", IfStated), framework.graph_launch);
  visit(host_time("message_us", "hosts per transfer", Always), framework.message);
  visit(host_time("collective_us", "host per collective", IfStated), framework.collective);
  visit(host_time("update_us", "host per updated tensor", IfStated), framework.update);
  visit(host_time("step_end/between_us", "host between steps", IfStated), framework.between_steps);
  visit(host_time("sharding/layer_us", "host per sharded layer", IfStated), framework.sharding.layer);
}

void each_other_figure(auto& of, auto&& visit) {
  using enum FigureDraw;
  constexpr FigureRange from_zero = FigureRange::FromZero;
  visit(FigureForm<Bytes>{"gradient_bytes", "reduced gradient", Bytes(1), "bytes", FigureRange::TwoOrFour,
                          Never},
        of.gradient);
  visit(FigureForm<Bytes>{"gradient_buffer_bytes", "accumulated gradient", Bytes(1), "bytes",
                          FigureRange::TwoOrFour, Never},
        of.gradient_buffer);
  visit(hidden_share("hidden/tensor", "hidden of tensor parallelism", Always), of.hidden_tensor);
  visit(hidden_share("hidden/chunks", "hidden of tensor parallelism in chunks", IfStated), of.hidden_chunks);
  visit(hidden_share("hidden/data", "hidden of sharded states", Always), of.hidden_data);
  visit(hidden_share("hidden/gradients", "hidden of reduced gradients", Always), of.hidden_gradients);
  visit(hidden_share("hidden/parameters", "hidden of gathered parameters", Always), of.hidden_parameters);
  visit(hidden_share("hidden/fused", "hidden by passes that run together", IfStated), of.hidden_fused);
  visit(FigureForm<Bytes>{"gradient_bucket_mb", "bucket of reduced gradients", Bytes(1e6), "MB", from_zero,
                          IfStated},
        of.gradient_bucket);
  visit(FigureForm<double>{"stage_kernels", "kernels of a stage's forward outside operators", 1.0, "",
                           from_zero, IfStated},
        of.stage_kernels);
  const auto per_parameter = [](std::string_view key, const char* name) {
    return FigureForm<Bytes>{key, name, Bytes(1), "bytes", FigureRange::FromZero, Never};
  };
  visit(per_parameter("sharding/gather_bytes", "moved around a gathered parameter"), of.sharding.gather);
  visit(per_parameter("sharding/reduce_bytes", "moved around a scattered gradient"), of.sharding.reduce);
  const auto count = [](std::string_view key, const char* name) {
    return FigureForm<double>{key, name, 1.0, "", FigureRange::FromZero, Never};
  };
  visit(count("step_end/averages", "scalings of a gradient before its reduction"), of.gradient_averages);
  visit(count("step_end/checks", "reads of a gradient before its reduction"), of.gradient_checks);
  visit(hidden_share("step_end/clips", "steps that scale gradients", Never), of.clipped_steps);
  visit(count("step_end/norms", "norms that the host waits for"), of.norm_waits);
  visit(count("step_end/losses", "losses that the host waits for"), of.loss_waits);
}

// Returns the number if the framework states it, otherwise null.
template <class Value>
const Sourced<Value>* stated(const Sourced<Value>& figure) {
  return is_stated(figure) ? &figure : nullptr;
}
template <class Value>
const Sourced<Value>* stated(const std::optional<Sourced<Value>>& figure) {
  return figure ? &*figure : nullptr;
}

}  // namespace spillway
