#include "traces/formats/chakra_calls.h"

#include <algorithm>
#include <unordered_map>

#include "traces/formats/kineto_names.h"

namespace spillway {
namespace {

// The callers of the nodes of one file, up to the passes.
class CallersOfNodes {
 public:
  explicit CallersOfNodes(const std::vector<ChakraNode>& nodes)
      : nodes_(nodes), above_(nodes.size(), kUnknownYet) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      by_id_.emplace(nodes[i].id, i);
      if (is_host_node(nodes[i]) && pipeline_range(nodes[i].name)) above_[i] = i;
    }
  }

  // Returns nothing if no caller is a pass.
  std::optional<std::size_t> pass_above(std::size_t node) {
    std::vector<std::size_t> path;
    while (above_[node] == kUnknownYet) {
      above_[node] = kNoPass;  // of callers that call each other, too
      path.push_back(node);
      const auto caller =
          nodes_[node].callers.empty() ? by_id_.end() : by_id_.find(nodes_[node].callers.front());
      if (caller == by_id_.end()) break;
      node = caller->second;
    }
    const std::size_t pass = above_[node];
    for (const std::size_t below : path) above_[below] = pass;
    return pass == kNoPass ? std::nullopt : std::optional(pass);
  }

 private:
  static constexpr std::size_t kUnknownYet = static_cast<std::size_t>(-1), kNoPass = kUnknownYet - 1;

  const std::vector<ChakraNode>& nodes_;
  std::unordered_map<std::uint64_t, std::size_t> by_id_ = {};
  std::vector<std::size_t> above_;  // [node] the innermost pass that it is, or lies in
};

}  // namespace

bool is_call_stack(const std::vector<ChakraNode>& nodes) {
  return std::ranges::any_of(
      nodes, [](const ChakraNode& node) { return !node.at(ChakraAttribute::RecordFunction).empty(); });
}

bool is_host_node(const ChakraNode& node) {
  return node.at(ChakraAttribute::IsCpuOp) == "1";
}

std::vector<std::optional<ChakraTimes>> spans_of_passes(const std::vector<ChakraNode>& nodes,
                                                        const std::vector<ChakraTimes>& times) {
  std::vector<std::optional<ChakraTimes>> spans(nodes.size());
  CallersOfNodes callers(nodes);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (is_host_node(nodes[i])) continue;
    const auto pass = callers.pass_above(i);
    if (!pass) continue;
    ChakraTimes& span = spans[*pass] ? *spans[*pass] : spans[*pass].emplace(times[i]);
    span.start = std::min(span.start, times[i].start);
    span.end = std::max(span.end, times[i].end);
  }
  return spans;
}

}  // namespace spillway
