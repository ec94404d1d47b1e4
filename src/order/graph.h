// The one Boost.Graph type of the program: compressed sparse rows in both directions, the edge's kind on the
// edge. Private to src/order.
#pragma once

#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <cstdint>

#include "order/order.h"

namespace spillway {

struct Order::Graph {
  using Csr = boost::compressed_sparse_row_graph<boost::bidirectionalS, boost::no_property, EdgeKind,
                                                 boost::no_property, std::uint32_t, std::uint32_t>;
  Csr csr;
};

}  // namespace spillway
