// Arguments of Megatron-LM and of what is built on it that change nothing a step computes, keeps or sends, or
// that every cost of ours assumes.
#pragma once

#include <span>
#include <string_view>

namespace spillway {

// As patterns (launch/shell/glob.h). An argument is listed here only if no reader takes it, and if leaving it
// out changes no figure of a step. Sources: the help texts in NVIDIA/Megatron-LM @d98e8a64dd
// (megatron/training/arguments.py, megatron/training/config), Ascend/MindSpeed-LLM @c77308a14b
// (mindspeed_llm/training/arguments.py) and modelscope/ms-swift @3602360a56 (swift/megatron/arguments).
std::span<const std::string_view> idle_arguments();

}  // namespace spillway
