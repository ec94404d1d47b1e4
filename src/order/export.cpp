// Lists the edges of an order, and writes it as Graphviz and GraphML by Boost.Graph's writers.
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/graphml.hpp>
#include <boost/graph/graphviz.hpp>
#include <boost/property_map/dynamic_property_map.hpp>
#include <boost/property_map/function_property_map.hpp>
#include <iomanip>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "base/printable.h"
#include "order/order.h"

namespace spillway {
namespace {

using Csr = boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, EdgeKind,
                                               boost::no_property, std::uint32_t, std::uint32_t>;

Csr graph_of(const Order& order) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  std::vector<EdgeKind> kinds;
  for (const Edge& edge : order.edges()) {
    pairs.emplace_back(edge.from.index(), edge.to.index());
    kinds.push_back(edge.kind);
  }
  return Csr(boost::edges_are_sorted, pairs.begin(), pairs.end(), kinds.begin(),
             static_cast<std::uint32_t>(order.event_count()), static_cast<std::uint32_t>(pairs.size()));
}

}  // namespace

std::vector<Edge> Order::edges() const {
  std::vector<Edge> all;
  all.reserve(edge_count());
  for (std::uint32_t event = 0; event < event_count(); ++event)
    for (const std::uint32_t to : successors(EventId(event)))
      all.push_back({EventId(event), EventId(to), kinds_[all.size()]});
  return all;
}

void Order::write_dot(std::ostream& out, const EventName& name) const {
  const Csr graph = graph_of(*this);
  const auto label_event = [&](std::ostream& stream, std::uint32_t id) {
    stream << "[label=" << std::quoted(printable(name(events_[id]))) << "]";
  };
  const auto label_edge = [&](std::ostream& stream, const Csr::edge_descriptor& edge) {
    stream << "[label=\"" << to_string(graph[edge]) << "\"]";
  };
  boost::write_graphviz(out, graph, label_event, label_edge);
}

void Order::write_graphml(std::ostream& out, const EventName& name) const {
  const Csr graph = graph_of(*this);
  boost::dynamic_properties properties;
  properties.property("event", boost::make_function_property_map<std::uint32_t, std::string>(
                                   [&](std::uint32_t id) { return printable(name(events_[id])); }));
  properties.property(
      "kind", boost::make_function_property_map<Csr::edge_descriptor, std::string>(
                  [&](const Csr::edge_descriptor& edge) { return std::string(to_string(graph[edge])); }));
  boost::write_graphml(out, graph, properties, true);
}

}  // namespace spillway
