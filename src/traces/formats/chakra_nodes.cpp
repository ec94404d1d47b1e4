#include "traces/formats/chakra_nodes.h"

#include <algorithm>
#include <protozero/pbf_reader.hpp>
#include <utility>

#include "base/error.h"
#include "base/number.h"
#include "base/utf8.h"
#include "traces/files/protobuf_file.h"
#include "traces/formats/chakra_calls.h"
#include "traces/formats/chakra_schema.h"

namespace spillway {
namespace {

using enum ChakraSchema::NodeField;
using enum ChakraSchema::AttributeField;
using enum ChakraSchema::MetadataField;

constexpr double kForeverNs = 1e18;  // thirty years

constexpr std::array<std::string_view, kChakraAttributes> kAttributeNames = {
    "replica",   "rank",     "microbatch", "stage",    "to_stage", "to_rank", "duration_ns",
    "is_cpu_op", "comm_src", "comm_dst",   "comm_tag", "pg_name",  "rf_id"};

protozero::pbf_reader fields_of(std::string_view message) {
  return {message.data(), message.size()};
}

bool is_bytes(const protozero::pbf_reader& field) {
  return field.has_wire_type(protozero::pbf_wire_type::length_delimited);
}

// Takes a text or a message. Skips a number and returns an empty text.
std::string_view bytes_of(protozero::pbf_reader& field) {
  if (!is_bytes(field)) return field.skip(), std::string_view();
  const protozero::data_view bytes = field.get_view();
  return {bytes.data(), bytes.size()};
}

// Takes a number of any width. Skips bytes and returns 0.
std::uint64_t number_of(protozero::pbf_reader& field) {
  switch (field.wire_type()) {
    case protozero::pbf_wire_type::varint:
      return field.get_uint64();
    case protozero::pbf_wire_type::fixed64:
      return field.get_fixed64();
    case protozero::pbf_wire_type::fixed32:
      return field.get_fixed32();
    default:
      return field.skip(), 0;
  }
}

// Returns true if the message has only fields with these numbers, all of them bytes.
bool is_metadata(std::string_view message) {
  for (protozero::pbf_reader fields = fields_of(message); fields.next(); fields.skip())
    if (!is_bytes(fields) || (fields.tag() != kVersion && fields.tag() != kMetadataAttr)) return false;
  return true;
}

void add_needs(protozero::pbf_reader& field, std::vector<std::uint64_t>& needs) {
  if (!is_bytes(field)) return needs.push_back(number_of(field));
  for (const std::uint64_t id : field.get_packed_uint64()) needs.push_back(id);
}

// For lists and other values that are not read, the text stays empty.
void add_attribute(std::string_view message, ChakraNode& node) {
  std::string_view name;
  std::string value;
  for (protozero::pbf_reader fields = fields_of(message); fields.next();) {
    if (fields.tag() == kAttrName)
      name = bytes_of(fields);
    else if (!is_bytes(fields))
      value = std::to_string(number_of(fields));
    else if (fields.tag() != kString)
      fields.skip();
    else if (const std::string_view text = bytes_of(fields); !first_invalid_utf8(text))
      value = text;
  }
  const auto known = std::ranges::find(kAttributeNames, name);
  if (known != kAttributeNames.end())
    node.attributes[static_cast<std::size_t>(known - kAttributeNames.begin())] = value;
}

std::string name_from(std::string_view bytes) {
  return first_invalid_utf8(bytes) ? "not text" : std::string(bytes);
}

ChakraType type_from(std::uint64_t number) {
  return number <= static_cast<std::uint64_t>(ChakraType::Collective) ? static_cast<ChakraType>(number)
                                                                      : ChakraType::Invalid;
}

void take_field(protozero::pbf_reader& field, ChakraNode& node) {
  switch (field.tag()) {
    case kId:
      node.id = number_of(field);
      break;
    case kName:
      node.name = name_from(bytes_of(field));
      break;
    case kType:
      node.type = type_from(number_of(field));
      break;
    case kControlNeeds:
      add_needs(field, node.callers);
      break;
    case kDataNeeds:
      add_needs(field, node.needs);
      break;
    case kStartMicros:
      if (const std::uint64_t start = number_of(field); start > 0) node.start_us = static_cast<double>(start);
      break;
    case kDurationMicros:
      node.duration_ns = static_cast<double>(number_of(field)) * 1e3;
      break;
    case kAttr:
      add_attribute(bytes_of(field), node);
      break;
    default:
      field.skip();
  }
}

// Returns the `number`-th node of the file. Throws InputError if the message is broken.
ChakraNode node_from(std::string_view message, const std::string& path, std::size_t number) try {
  ChakraNode node;
  for (protozero::pbf_reader fields = fields_of(message); fields.next();) take_field(fields, node);
  if (const auto exact = number_from<double>(node.at(ChakraAttribute::DurationNs)))
    node.duration_ns = *exact > 0 && *exact < kForeverNs ? *exact : 0;
  return node;
} catch (const protozero::exception&) {
  throw InputError(
      {{path, "node " + std::to_string(number), "a message of Chakra's schema", "bytes that are none"}});
}

void order_by_control(std::vector<ChakraNode>& nodes) {
  for (ChakraNode& node : nodes) {
    node.needs.insert(node.needs.end(), node.callers.begin(), node.callers.end());
    node.callers.clear();
  }
}

}  // namespace

bool begins_chakra(std::string_view bytes) try {
  const auto length = take_varint(bytes);
  if (!length || *length >= bytes.size() || !is_metadata(bytes.substr(0, *length))) return false;
  bytes.remove_prefix(*length);
  if (!take_varint(bytes)) return false;
  protozero::pbf_reader node = fields_of(bytes);
  return node.next() && (node.tag() == kId || node.tag() == kName);
} catch (const protozero::exception&) {
  return false;
}

std::vector<ChakraNode> read_chakra_nodes(const std::string& path) {
  ProtobufFile file(path);
  std::vector<ChakraNode> nodes;
  file.next();  // the metadata
  while (const auto message = file.next()) nodes.push_back(node_from(*message, path, nodes.size() + 1));
  if (!is_call_stack(nodes)) order_by_control(nodes);
  return nodes;
}

}  // namespace spillway
