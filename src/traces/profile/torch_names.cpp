#include "traces/profile/torch_names.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "base/number.h"
#include "base/text.h"
#include "traces/formats/kineto_names.h"

namespace spillway {
namespace {

bool has_part(std::string_view text, std::string_view part) {
  return text.find(part) != text.npos;
}

template <std::size_t n>
bool has_any_part(std::string_view text, const std::array<std::string_view, n>& parts) {
  return std::ranges::any_of(parts, [&](std::string_view part) { return has_part(text, part); });
}

// Lower-case letters and digits alone, so that all_reduce, AllReduce and all-reduce are one.
std::string letters(std::string_view name) {
  std::string text = lower(name);
  std::erase_if(text, [](char c) { return !(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9'); });
  return text;
}

// A longer spelling stands before what it contains.
constexpr std::array<std::pair<std::string_view, std::string_view>, 12> kCollectives = {
    {{"allreduce", "all-reduce"},
     {"crossdevicereduce", "all-reduce"},
     {"allgather", "all-gather"},
     {"reducescatter", "reduce-scatter"},
     {"alltoall", "all-to-all"},
     {"broadcast", "broadcast"},
     {"sendrecv", "send-receive"},
     {"barrier", "barrier"},
     {"reduce", "reduce"},
     {"send", "send-receive"},
     {"recv", "send-receive"},
     {"receive", "send-receive"}}};

}  // namespace

bool is_work_of_a_device(std::string_view category) {
  return is_device_work(category) || category == "mtia_ccp_events";
}

bool is_launch_category(std::string_view category) {
  return category == "cuda_runtime" || category == "cuda_driver" || category == "Runtime" ||
         category.ends_with("_runtime") || category.ends_with("_driver");
}

bool is_operator_category(std::string_view category) {
  return category == "cpu_op" || category == "Operator";
}

bool is_copy(std::string_view category, std::string_view name) {
  return category == "gpu_memcpy" || category == "gpu_memset" || category == "Memcpy" ||
         category == "Memset" || name.starts_with("Memcpy") || name.starts_with("Memset") ||
         name == "dma_request";
}

bool is_communication_work(std::string_view name) {
  constexpr std::array<std::string_view, 4> others = {"cross_device_reduce", "hcom_", "hccl:", "nccl:"};
  return is_communication_kernel(name) || has_any_part(name, others);
}

bool is_communication_operator(std::string_view name) {
  constexpr std::array<std::string_view, 6> starts = {
      "c10d::", "_c10d_functional::", "gloo:", "nccl:", "mpi:", "record_param_comms"};
  return std::ranges::any_of(starts, [&](std::string_view start) { return name.starts_with(start); });
}

std::string_view collective_in(std::string_view name) {
  const std::string text = letters(name);
  const auto known =
      std::ranges::find_if(kCollectives, [&](const auto& one) { return has_part(text, one.first); });
  return known == kCollectives.end() ? "other" : known->second;
}

bool is_autograd_range(std::string_view name) {
  return name.starts_with("autograd::engine::evaluate_function");
}

bool is_optimizer_range(std::string_view name) {
  return name.starts_with("Optimizer.step");
}

bool is_optimizer_kernel(std::string_view name) {
  constexpr std::array<std::string_view, 6> parts = {"multi_tensor_apply", "adam", "lamb",
                                                     "fusedsgd",           "lion", "adafactor"};
  return has_any_part(lower(name), parts);
}

std::optional<NumberedMark> numbered_mark(std::string_view name) {
  const std::size_t last = name.find_last_not_of("0123456789");
  if (last == name.npos || last + 1 == name.size()) return std::nullopt;
  const std::string prefix = lower(name.substr(0, last + 1));
  const auto number = number_from<std::uint32_t>(name.substr(last + 1));
  if (!number || !(has_part(prefix, "step") || has_part(prefix, "iter"))) return std::nullopt;
  return NumberedMark{name.substr(0, last + 1), *number};
}

}  // namespace spillway
