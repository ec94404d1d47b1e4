#include "order/order.h"

#include <utility>

#include "base/error.h"
#include "order/graph.h"

namespace spillway {
namespace {

template <class Rows>
std::span<const std::uint32_t> row(const Rows& rows, EventId id) {
  const std::uint32_t begin = rows.m_rowstart[id.index()];
  return {rows.m_column.data() + begin, rows.m_rowstart[id.index() + 1] - begin};
}

}  // namespace

Order::Order(std::vector<Event> events, std::unique_ptr<const Graph> graph,
             std::vector<std::vector<EventId>> nodes)
    : events_(std::move(events)), graph_(std::move(graph)), nodes_(std::move(nodes)) {}

Order::Order(Order&&) noexcept = default;
Order& Order::operator=(Order&&) noexcept = default;
Order::~Order() = default;

std::size_t Order::edge_count() const {
  return boost::num_edges(graph_->csr);
}

std::span<const std::uint32_t> Order::predecessors(EventId id) const {
  return row(graph_->csr.m_backward, id);
}

std::span<const std::uint32_t> Order::successors(EventId id) const {
  return row(graph_->csr.m_forward, id);
}

std::vector<Edge> Order::edges() const {
  std::vector<Edge> all;
  all.reserve(edge_count());
  const auto [begin, end] = boost::edges(graph_->csr);
  for (auto edge = begin; edge != end; ++edge) {
    all.push_back({EventId(boost::source(*edge, graph_->csr)), EventId(boost::target(*edge, graph_->csr)),
                   graph_->csr[*edge]});
  }
  return all;
}

}  // namespace spillway
