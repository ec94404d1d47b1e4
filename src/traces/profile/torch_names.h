// Interprets the names that PyTorch, its optimizers and the collective libraries give to events. Private to
// src/traces.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace spillway {

// Returns true for the device's work under any backend: also MTIA's.
bool is_work_of_a_device(std::string_view category);

// Returns true for calls of the runtime or driver that launch work: CUDA, HIP, XPU, MTIA.
bool is_launch_category(std::string_view category);

// Returns true for operators of the host, also as PyTorch 1.11 calls them.
bool is_operator_category(std::string_view category);

// Returns true for copies and fills.
bool is_copy(std::string_view category, std::string_view name);

// Returns true for kernels that communicate: NCCL, RCCL, NVSHMEM, DeepEP, HCCL, and vLLM's own all-reduce.
bool is_communication_work(std::string_view name);

// Returns true for operators of the host that communicate: c10d, Gloo, and MPI.
bool is_communication_operator(std::string_view name);

// "all-reduce", "all-gather", "reduce-scatter", "all-to-all", "broadcast", "send-receive", "reduce",
// "barrier", or "other". It reads any writer's spelling: allreduce, all_reduce, AllReduce, hcom_allReduce_.
std::string_view collective_in(std::string_view name);

// Returns true for the range of one node of autograd's graph: "autograd::engine::evaluate_function: ...".
bool is_autograd_range(std::string_view name);

// Returns true for the range of an optimizer's step: "Optimizer.step#AdamW.step".
bool is_optimizer_range(std::string_view name);

// Returns true for kernels that only optimizers launch: of several tensors together, or named after one.
bool is_optimizer_kernel(std::string_view name);

// A range that a program numbers: "iteration 12", "train_step_7".
struct NumberedMark {
  std::string_view prefix;
  std::uint32_t number;
};
// Returns nothing unless the name ends in a number and names a step or an iteration.
std::optional<NumberedMark> numbered_mark(std::string_view name);

}  // namespace spillway
