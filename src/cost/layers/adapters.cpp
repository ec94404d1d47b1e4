#include "cost/layers/adapters.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

namespace spillway {
namespace {

constexpr std::array<std::string_view, 4> kWithout = {"logits", "router", "shared gate", "patch embedding"};

bool is_adapted(const Operator& op) {
  return op.kind == OperatorKind::Gemm && std::ranges::find(kWithout, op.name) == kWithout.end();
}

// It reads the product's input; another operator may keep that input for both.
Layer down(const Operator& product, std::uint32_t rank) {
  Layer layer = linear("adapter down", product.k, rank,
                       product.share == Share::Columns ? Share::Tokens : product.share);
  if (product.kept.for_backward == Bytes()) layer = on_shared_input(std::move(layer), product.k);
  return layer;
}

Layer adapter(const Operator& product, std::uint32_t rank) {
  const bool columns = product.share == Share::Columns;
  Layer layer = down(product, rank);
  layer.operators.back().made_by = product.made_by;
  layer += linear("adapter up", rank, product.n, columns ? Share::Columns : Share::Tokens) +
           elementwise("residual", 2 * product.n, product.n, columns ? Share::Inner : Share::Tokens);
  for (Operator& op : layer.operators) {
    op.inside = product.inside;
    op.rows_per_token *= product.rows_per_token;
    op.traffic_per_token = op.traffic_per_token * product.rows_per_token;
    op.kept = op.kept * product.rows_per_token;
    op.kept_outside = op.kept_outside * product.rows_per_token;
  }
  return layer;
}

}  // namespace

void add_adapters(std::uint32_t rank, std::span<Layer> layers) {
  for (Layer& layer : layers) {
    std::vector<Operator> operators;
    for (const Operator& base : layer.operators) {
      operators.push_back(base);
      operators.back().frozen = true;
      if (!is_adapted(base)) continue;
      std::ranges::copy(adapter(base, rank).operators, std::back_inserter(operators));
    }
    layer.operators = std::move(operators);
  }
}

}  // namespace spillway
