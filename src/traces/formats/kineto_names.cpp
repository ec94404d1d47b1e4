#include "traces/formats/kineto_names.h"

#include <algorithm>
#include <array>

#include "base/number.h"
#include "schedule/listed_action.h"

namespace spillway {
namespace {

constexpr std::string_view kAction = "PP:";

struct Width {
  std::string_view type;
  double bytes;
};
constexpr std::array<Width, 13> kWidths = {{{"Byte", 1},
                                            {"Char", 1},
                                            {"Bool", 1},
                                            {"Float8_e4m3fn", 1},
                                            {"Float8_e5m2", 1},
                                            {"Float8_e4m3fnuz", 1},
                                            {"Short", 2},
                                            {"Half", 2},
                                            {"BFloat16", 2},
                                            {"Int", 4},
                                            {"Float", 4},
                                            {"Long", 8},
                                            {"Double", 8}}};

// Returns the text after `start`, or nothing if the text does not begin with it.
std::optional<std::string_view> after(std::string_view text, std::string_view start) {
  return text.starts_with(start) ? std::optional(text.substr(start.size())) : std::nullopt;
}

std::optional<TraceKind> kind_of(ListedKind kind) {
  switch (kind) {
    case ListedKind::Forward:
      return TraceKind::Forward;
    case ListedKind::Backward:
      return TraceKind::Backward;
    case ListedKind::BackwardInput:
      return TraceKind::BackwardInput;
    case ListedKind::BackwardWeight:
      return TraceKind::BackwardWeight;
    case ListedKind::SendForward:
      return TraceKind::SendForward;
    case ListedKind::ReceiveForward:
      return TraceKind::ReceiveForward;
    case ListedKind::SendBackward:
      return TraceKind::SendBackward;
    case ListedKind::ReceiveBackward:
      return TraceKind::ReceiveBackward;
    case ListedKind::ForwardBackward:
    case ListedKind::Unshard:
    case ListedKind::Reshard:
    case ListedKind::ReduceGradients:
      return std::nullopt;
  }
  return std::nullopt;
}

// PyTorch 2.5 called a whole backward BW, its half for the input B, and its half for the weights W.
std::optional<ListedAction> action_named(std::string_view name) {
  const auto text = after(name, kAction);
  if (!text) return std::nullopt;
  if (const auto action = parse_action(*text)) return action;
  const std::size_t whole = text->find("BW");
  if (whole == std::string_view::npos) return std::nullopt;
  return parse_action(std::string(text->substr(0, whole + 1)).append(text->substr(whole + 2)));
}

std::optional<PipelineRange> numbered_range(std::string_view name, std::string_view start, TraceKind kind) {
  const auto number = number_from<std::uint32_t>(after(name, start).value_or(""));
  return number ? std::optional(PipelineRange{kind, kStageOfItsRank, *number}) : std::nullopt;
}

// Reads "PP:F0" of a rank with one stage.
std::optional<PipelineRange> range_of_its_rank(std::string_view name) {
  const auto text = after(name, kAction);
  const bool staged = !text || text->empty() || (text->front() >= '0' && text->front() <= '9');
  const auto action = staged ? std::nullopt : parse_action(std::string("0").append(*text));
  const auto kind = action ? kind_of(action->kind) : std::nullopt;
  return kind ? std::optional(PipelineRange{*kind, kStageOfItsRank, action->microbatch}) : std::nullopt;
}

}  // namespace

bool is_device_work(std::string_view category) {
  return category == "kernel" || category == "gpu_memcpy" || category == "gpu_memset" ||
         category == "Kernel" || category == "Memcpy" || category == "Memset";
}

bool is_communication_kernel(std::string_view name) {
  if (name.starts_with("nccl") || name.find("nvshmem") != name.npos) return true;
  if (name.find("get_dispatch_layout") != name.npos) return false;  // DeepEP's; only computes routes
  for (std::size_t at = name.find("ep::"); at != name.npos; at = name.find("ep::", at + 1))
    if (at == 0 || name[at - 1] == ':' || name[at - 1] == '_' || name[at - 1] == ' ') return true;
  return false;
}

std::optional<PipelineRange> pipeline_range(std::string_view name) {
  if (const auto action = action_named(name)) {
    const auto kind = kind_of(action->kind);
    if (!kind || action->stage >= kStageOfItsRank) return std::nullopt;
    return PipelineRange{*kind, static_cast<std::uint16_t>(action->stage), action->microbatch};
  }
  if (const auto own = range_of_its_rank(name)) return own;
  if (const auto forward = numbered_range(name, "Forward ", TraceKind::Forward)) return forward;
  return numbered_range(name, "Backward ", TraceKind::Backward);
}

bool is_overlapped_range(std::string_view name) {
  const auto action = action_named(name);
  return action && action->kind == ListedKind::ForwardBackward;
}

std::optional<std::uint32_t> profiler_step(std::string_view name) {
  return number_from<std::uint32_t>(after(name, "ProfilerStep#").value_or(""));
}

std::optional<double> element_bytes(std::string_view type) {
  const auto known = std::ranges::find(kWidths, type, &Width::type);
  return known == kWidths.end() ? std::nullopt : std::optional(known->bytes);
}

}  // namespace spillway
