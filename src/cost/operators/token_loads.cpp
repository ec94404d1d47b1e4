#include "cost/operators/token_loads.h"

#include <algorithm>
#include <functional>

namespace spillway {
namespace {

TokenLoad in_one(double tokens) {
  return {tokens, {{1, tokens}}};
}

double longest_of(const MicrobatchLoad& load) {
  return load.documents.empty() ? 0 : std::ranges::max(load.documents);
}

// Counts equal lengths. Documents without tokens are none.
std::vector<Sequences> by_length(std::vector<std::uint32_t> lengths) {
  std::ranges::sort(lengths, std::greater<>());
  std::vector<Sequences> sequences;
  for (const double length : lengths) {
    if (length == 0) break;
    if (sequences.empty() || sequences.back().length != length) sequences.push_back({0, length});
    sequences.back().count += 1;
  }
  return sequences;
}

}  // namespace

TokenLoads::TokenLoads(const Draw& step, DocumentRule rule) : rule_(rule) {
  if (rule.pads != PadsTo::Batch) return;
  for (const auto& replica : step)
    for (const MicrobatchLoad& load : replica)
      if (load.packing == Packing::Unpacked) longest_ = std::max(longest_, longest_of(load));
}

TokenLoad TokenLoads::operator()(const MicrobatchLoad& load) const {
  const double tokens = load.sequence_tokens, rows = load.sequences;
  if (load.documents.empty()) return {tokens, {{rows, tokens / rows}}};
  if (load.packing == Packing::Unpacked && rule_.pads != PadsTo::None) {
    const double length = std::max(1.0, rule_.pads == PadsTo::Batch ? longest_ : longest_of(load));
    const auto samples = static_cast<double>(load.documents.size());
    return {samples * length, {{samples, length}}};
  }
  if (rule_.across) return in_one(tokens);
  std::vector<std::uint32_t> lengths = load.documents;
  std::uint32_t padding = load.sequence_tokens;
  for (const std::uint32_t length : lengths) padding -= length;
  lengths.push_back(padding);
  return {tokens, by_length(std::move(lengths))};
}

}  // namespace spillway
