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

// One rank of one replica: a GlobalMetadata, then its nodes in a topological order, each after its length as
// a varint. Ranks are numbered replica x ranks + rank.
//   COMP_NODE       a computing event, or one that keeps books
//   COMM_SEND_NODE, COMM_RECV_NODE  a transfer: comm_size, comm_src, comm_dst, comm_tag
//   COMM_COLL_NODE  a part in a reduction: comm_type ALL_REDUCE, comm_size, pg_name
// All that a node waits for is in data_deps, the only ones that Chakra's own feeder reads (et_feeder.cpp).
// Each says its replica, rank and microbatch, and, in a pipelined region, its stage, as attributes; `import`
// reads them. Durations are whole microseconds there; attribute duration_ns says them more closely.
// `programs` are of `derived`.
void write_chakra(std::ostream& out, const Derived& derived, const Prices& prices,
                  const RankPrograms& programs, std::uint32_t replica, RankId rank);

}  // namespace spillway
