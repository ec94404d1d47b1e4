// The order in formats other tools draw: Graphviz and GraphML, by Boost.Graph's own writers.
#include <boost/graph/graphml.hpp>
#include <boost/graph/graphviz.hpp>
#include <boost/property_map/dynamic_property_map.hpp>
#include <boost/property_map/function_property_map.hpp>
#include <iomanip>
#include <ostream>
#include <string>

#include "base/printable.h"
#include "order/graph.h"
#include "order/order.h"

namespace spillway {

void Order::write_dot(std::ostream& out, const EventName& name) const {
  const auto label_event = [&](std::ostream& stream, std::uint32_t id) {
    stream << "[label=" << std::quoted(printable(name(events_[id]))) << "]";
  };
  const auto label_edge = [&](std::ostream& stream, const Graph::Csr::edge_descriptor& edge) {
    stream << "[label=\"" << to_string(graph_->csr[edge]) << "\"]";
  };
  boost::write_graphviz(out, graph_->csr, label_event, label_edge);
}

void Order::write_graphml(std::ostream& out, const EventName& name) const {
  using Csr = Graph::Csr;
  boost::dynamic_properties properties;
  properties.property("event", boost::make_function_property_map<std::uint32_t, std::string>(
                                   [&](std::uint32_t id) { return printable(name(events_[id])); }));
  properties.property("kind", boost::make_function_property_map<Csr::edge_descriptor, std::string>(
                                  [&](const Csr::edge_descriptor& edge) {
                                    return std::string(to_string(graph_->csr[edge]));
                                  }));
  boost::write_graphml(out, graph_->csr, properties, true);
}

}  // namespace spillway
