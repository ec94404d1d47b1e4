// A priced order as execution traces of MLCommons Chakra, which ASTRA-sim and others read
// (https://github.com/mlcommons/chakra, schema/protobuf/et_def.proto; Sridharan et al. 2023, arXiv
// 2305.14516).
#pragma once

#include <cstdint>
#include <iosfwd>

#include "cost/price.h"
#include "derive/derive.h"
#include "report/order/rank_programs.h"

namespace spillway {

// Writes the trace of one rank of one replica: a GlobalMetadata, then the rank's nodes in a topological
// order. A varint with its length precedes each message. Ranks are numbered replica x ranks + rank.
//   COMP_NODE       a computing event, or one that only keeps books
//   COMM_SEND_NODE, COMM_RECV_NODE  a transfer: comm_size, comm_src, comm_dst, comm_tag
//   COMM_COLL_NODE  the rank's part in a reduction or broadcast: comm_type, comm_size, pg_name
// data_deps lists everything that a node waits for, because Chakra's own feeder reads no other dependencies
// (et_feeder.cpp). Attributes state the replica, rank and microbatch of a node, and its stage in a pipelined
// region; `import` reads them. Chakra's durations are whole microseconds; the attribute duration_ns is more
// precise. Contract: `programs` were made from `derived`.
void write_chakra(std::ostream& out, const Derived& derived, const Prices& prices,
                  const RankPrograms& programs, std::uint32_t replica, RankId rank);

}  // namespace spillway
