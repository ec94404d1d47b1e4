#include "report/order/chakra.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <ostream>
#include <protozero/pbf_writer.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "report/order/pipelined_stages.h"
#include "report/order/rank_programs.h"
#include "traces/formats/chakra_schema.h"

namespace spillway {
namespace {

using enum ChakraSchema::NodeField;
using enum ChakraSchema::AttributeField;
using enum ChakraSchema::MetadataField;

enum NodeType : std::uint32_t { kComputing = 4, kSending = 5, kReceiving = 6, kCollective = 7 };
constexpr std::uint64_t kAllReduce = 0, kBroadcast = 6;
constexpr const char* kSchema = "1.0.2-chakra.0.0.4";  // as Chakra's own converters write it

NodeType type_of(RankOperation kind) {
  switch (kind) {
    case RankOperation::Send:
      return kSending;
    case RankOperation::Receive:
      return kReceiving;
    case RankOperation::Reduce:
      return kCollective;
    default:
      return kComputing;
  }
}

// An event has at most one node on a rank, or a send and a hold, so two numbers for each event suffice.
std::uint64_t id_of(EventId event, RankOperation kind) {
  return 2 * std::uint64_t{event.index()} + (kind == RankOperation::Hold ? 1 : 0);
}

void add_number(protozero::pbf_writer& node, const char* name, ChakraSchema::AttributeField type,
                std::uint64_t value) {
  protozero::pbf_writer attribute(node, kAttr);
  attribute.add_string(kAttrName, name);
  attribute.add_uint64(type, value);
}

void add_text(protozero::pbf_writer& message, std::uint32_t field, const char* name,
              const std::string& value) {
  protozero::pbf_writer attribute(message, field);
  attribute.add_string(kAttrName, name);
  attribute.add_string(kString, value);
}

std::string metadata() {
  std::string bytes;
  protozero::pbf_writer message(bytes);
  add_text(message, kMetadataAttr, "schema", kSchema);
  return bytes;
}

void write_delimited(std::ostream& out, const std::string& message) {
  std::string length;
  protozero::add_varint_to_buffer(&length, message.size());
  out << length << message;
}

// Makes the nodes of one replica's ranks.
class NodeWriter {
 public:
  NodeWriter(const Derived& derived, const Prices& prices, std::uint32_t replica)
      : derived_(derived), prices_(prices), replica_(replica), first_stages_(first_stages(derived)) {}

  std::string node(const RankStep& step) const {
    const Event& event = derived_.order.event(step.event);
    std::string bytes;
    protozero::pbf_writer node(bytes);
    node.add_uint64(kId, id_of(step.event, step.kind));
    node.add_string(kName, event_name(event, derived_));
    node.add_enum(kType, type_of(step.kind));
    for (const OperationRef& before : step.needs)
      node.add_uint64(kDataNeeds, id_of(before.event, before.kind));
    // Only the sender states a transfer's duration, because the receive begins together with it.
    if (step.kind != RankOperation::Receive) add_duration(step.event, node);
    add_number(node, "is_cpu_op", kBool, 0);
    add_place(event, node);
    if (type_of(step.kind) != kComputing) add_communication(step, event, node);
    return bytes;
  }

 private:
  // The program's own traces have the same attributes (report/trace/chrome_trace.h), so one importer reads
  // both.
  void add_place(const Event& event, protozero::pbf_writer& node) const {
    const auto add = [&](const char* name, std::uint64_t value) { add_number(node, name, kInt64, value); };
    add("replica", replica_);
    add("rank", event.rank.index());
    if (event.in_group()) return;
    add("microbatch", event.microbatch.index() + 1);
    if (const auto stage = stage_of(event.stage)) add("stage", *stage);
    if (event.kind != EventKind::Collective) return;
    if (const auto stage = stage_of(event.peer_stage)) add("to_stage", *stage);
    add("to_rank", event.peer_rank.index());
  }

  std::optional<std::uint32_t> stage_of(StageId id) const {
    const Stage& stage = derived_.stage(id);
    const auto first = first_stages_[stage.region.index()];
    return first ? std::optional(*first + stage.index) : std::nullopt;
  }

  void add_duration(EventId event, protozero::pbf_writer& node) const {
    const double seconds = prices_.durations.at(event, replica_).value();
    node.add_uint64(kDurationMicros, static_cast<std::uint64_t>(std::llround(seconds * 1e6)));
    add_number(node, "duration_ns", kInt64, static_cast<std::uint64_t>(std::llround(seconds * 1e9)));
  }

  void add_communication(const RankStep& step, const Event& event, protozero::pbf_writer& node) const {
    const auto bytes =
        static_cast<std::uint64_t>(std::ceil(prices_.payload.at(step.event, replica_).value()));
    add_number(node, "comm_size", kInt64, bytes);
    if (step.kind == RankOperation::Reduce) {
      add_number(node, "comm_type", kInt64, event.kind == EventKind::Broadcast ? kBroadcast : kAllReduce);
      add_text(node, kAttr, "pg_name", event_name(event, derived_));
      return;
    }
    const std::uint32_t first = replica_ * derived_.order.rank_count();
    add_number(node, "comm_src", kInt32, first + event.rank.index());
    add_number(node, "comm_dst", kInt32, first + event.peer_rank.index());
    add_number(node, "comm_tag", kInt32, step.event.index());
  }

  const Derived& derived_;
  const Prices& prices_;
  const std::uint32_t replica_;
  const std::vector<std::optional<std::uint32_t>> first_stages_;
};

}  // namespace

void write_chakra(std::ostream& out, const Derived& derived, const Prices& prices,
                  const RankPrograms& programs, std::uint32_t replica, RankId rank) {
  const NodeWriter nodes(derived, prices, replica);
  write_delimited(out, metadata());
  programs.visit(rank, [&](const RankStep& step) { write_delimited(out, nodes.node(step)); });
}

}  // namespace spillway
