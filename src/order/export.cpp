// The order in formats other tools draw: Graphviz's DOT, and GraphML
// (graphml.graphdrawing.org/specification.html).
#include <iomanip>
#include <ostream>
#include <string>
#include <string_view>

#include "base/printable.h"
#include "order/order.h"

namespace spillway {
namespace {

constexpr std::string_view kGraphmlHead =
    R"(<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://graphml.graphdrawing.org/xmlns http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd">
  <key id="key0" for="node" attr.name="event" attr.type="string" />
  <key id="key1" for="edge" attr.name="kind" attr.type="string" />
  <graph id="G" edgedefault="directed" parse.nodeids="canonical" parse.edgeids="canonical" parse.order="nodesfirst">
)";

std::string xml_text(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '&':
        escaped += "&amp;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&apos;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

}  // namespace

void Order::write_dot(std::ostream& out, const EventName& name) const {
  out << "digraph G {\n";
  for (std::size_t id = 0; id < events_.size(); ++id)
    out << id << "[label=" << std::quoted(printable(name(events_[id]))) << "];\n";
  for (const Edge& edge : edges())
    out << edge.from.index() << "->" << edge.to.index() << " [label=\"" << to_string(edge.kind) << "\"];\n";
  out << "}\n";
}

void Order::write_graphml(std::ostream& out, const EventName& name) const {
  out << kGraphmlHead;
  for (std::size_t id = 0; id < events_.size(); ++id)
    out << "    <node id=\"n" << id << "\">\n      <data key=\"key0\">"
        << xml_text(printable(name(events_[id]))) << "</data>\n    </node>\n";
  std::size_t id = 0;
  for (const Edge& edge : edges())
    out << "    <edge id=\"e" << id++ << "\" source=\"n" << edge.from.index() << "\" target=\"n"
        << edge.to.index() << "\">\n      <data key=\"key1\">" << to_string(edge.kind)
        << "</data>\n    </edge>\n";
  out << "  </graph>\n</graphml>\n";
}

}  // namespace spillway
