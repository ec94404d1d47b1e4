#include "traces/formats/chakra_nodes.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/number.h"
#include "base/utf8.h"
#include "traces/files/protobuf_fields.h"

namespace spillway {
namespace {

// Numbers of et_def.proto.
enum NodeField : std::uint32_t {
  kId = 1,
  kName = 2,
  kType = 3,
  kControlNeeds = 4,
  kDataNeeds = 5,
  kStartMicros = 6,
  kDurationMicros = 7,
  kAttr = 10
};
enum MetadataField : std::uint32_t { kVersion = 1, kMetadataAttr = 2 };
enum AttributeField : std::uint32_t { kAttrName = 1, kString = 29 };

constexpr double kForeverNs = 1e18;  // thirty years

constexpr std::array<std::string_view, kChakraAttributes> kAttributeNames = {
    "replica",     "rank",      "microbatch", "stage",    "to_stage", "to_rank",
    "duration_ns", "is_cpu_op", "comm_src",   "comm_dst", "comm_tag", "pg_name"};

// A message of fields with these numbers alone, all of them bytes.
bool is_metadata(std::string_view message) {
  ProtobufFields fields(message);
  while (const auto field = fields.next())
    if (field->value || (field->number != kVersion && field->number != kMetadataAttr)) return false;
  return !fields.broken();
}

void add_needs(const ProtobufField& field, std::vector<std::uint64_t>& needs) {
  if (field.value) return needs.push_back(*field.value);
  std::string_view packed = field.bytes;
  while (const auto id = take_varint(packed)) needs.push_back(*id);
}

// Lists and other values that are not read leave the text empty.
void add_attribute(std::string_view message, ChakraNode& node) {
  std::string_view name;
  std::string value;
  ProtobufFields fields(message);
  while (const auto field = fields.next()) {
    if (field->number == kAttrName)
      name = field->bytes;
    else if (field->value)
      value = std::to_string(*field->value);
    else if (field->number == kString && !first_invalid_utf8(field->bytes))
      value = field->bytes;
  }
  const auto known = std::ranges::find(kAttributeNames, name);
  if (known != kAttributeNames.end())
    node.attributes[static_cast<std::size_t>(known - kAttributeNames.begin())] = value;
}

void add_field(const ProtobufField& field, ChakraNode& node) {
  const std::uint64_t value = field.value.value_or(0);
  switch (field.number) {
    case kId:
      node.id = value;
      break;
    case kName:
      node.name = first_invalid_utf8(field.bytes) ? "not text" : std::string(field.bytes);
      break;
    case kType:
      if (value <= static_cast<std::uint64_t>(ChakraType::Collective))
        node.type = static_cast<ChakraType>(value);
      break;
    case kControlNeeds:
    case kDataNeeds:
      add_needs(field, node.needs);
      break;
    case kStartMicros:
      if (value > 0) node.start_us = value;
      break;
    case kDurationMicros:
      node.duration_ns = static_cast<double>(value) * 1e3;
      break;
    case kAttr:
      add_attribute(field.bytes, node);
      break;
    default:
      break;
  }
}

}  // namespace

bool begins_chakra(std::string_view bytes) {
  const auto length = take_varint(bytes);
  if (!length || *length >= bytes.size() || !is_metadata(bytes.substr(0, *length))) return false;
  bytes.remove_prefix(*length);
  if (!take_varint(bytes)) return false;
  const auto id = ProtobufFields(bytes).next();
  return id && (id->number == kId || id->number == kName);
}

std::vector<ChakraNode> read_chakra_nodes(const std::string& path) {
  ProtobufFile file(path);
  std::vector<ChakraNode> nodes;
  bool metadata = true;
  while (const auto message = file.next()) {
    if (std::exchange(metadata, false)) continue;
    ChakraNode node;
    ProtobufFields fields(*message);
    while (const auto field = fields.next()) add_field(*field, node);
    if (fields.broken())
      throw InputError({{path, "node " + std::to_string(nodes.size() + 1), "a message of Chakra's schema",
                         "other bytes"}});
    if (const auto exact = number_from<double>(node.at(ChakraAttribute::DurationNs)))
      node.duration_ns = *exact > 0 && *exact < kForeverNs ? *exact : 0;
    nodes.push_back(std::move(node));
  }
  return nodes;
}

}  // namespace spillway
