#include "traces/formats/execution_trace_nodes.h"

#include <rapidjson/error/en.h>
#include <rapidjson/reader.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/number.h"
#include "json/json_stream.h"
#include "traces/formats/kineto_names.h"

namespace spillway {
namespace {

constexpr double kLongestUs = 1e15, kLatestUs = 9e18;  // thirty years; what a clock of 64 bits holds

std::size_t blanks_end(std::string_view bytes, std::size_t from) {
  return std::min(bytes.find_first_not_of(" \t\r\n", from), bytes.size());
}

// The members of a node that are used, as text.
struct TraceNodeMembers {
  std::string id, name, callers, parent, at, inclusive, exclusive, category, group;

  std::string* of(std::string_view key) {
    struct Member {
      std::string_view key;
      std::string TraceNodeMembers::*text;
    };
    static constexpr Member members[] = {{"id", &TraceNodeMembers::id},
                                         {"name", &TraceNodeMembers::name},
                                         {"ctrl_deps", &TraceNodeMembers::callers},
                                         {"parent", &TraceNodeMembers::parent},
                                         {"ts", &TraceNodeMembers::at},
                                         {"inclusive_dur", &TraceNodeMembers::inclusive},
                                         {"exclusive_dur", &TraceNodeMembers::exclusive},
                                         {"cat", &TraceNodeMembers::category},
                                         {"pg_name", &TraceNodeMembers::group}};
    const Member* member = std::ranges::find(members, key, &Member::key);
    return member == std::end(members) ? nullptr : &(this->*(member->text));
  }

  ChakraNode node() const {
    ChakraNode node;
    node.id = number_from<std::uint64_t>(id).value_or(0);
    node.name = name;
    const bool device = !category.empty();
    node.type = device && is_communication_kernel(name) ? ChakraType::Collective : ChakraType::Compute;
    const auto caller = number_from<std::uint64_t>(callers.empty() ? parent : callers);
    if (caller) node.callers = {*caller};
    node.start_us = number_from<double>(at);
    if (node.start_us && !(*node.start_us >= 0 && *node.start_us < kLatestUs)) node.start_us.reset();
    const double us = number_from<double>(inclusive.empty() ? exclusive : inclusive).value_or(0);
    node.duration_ns = us > 0 && us < kLongestUs ? us * 1e3 : 0;
    node.attributes[static_cast<std::size_t>(ChakraAttribute::IsCpuOp)] = device ? "0" : "1";
    node.attributes[static_cast<std::size_t>(ChakraAttribute::Group)] = group;
    node.attributes[static_cast<std::size_t>(ChakraAttribute::RecordFunction)] = "1";
    return node;
  }
};

// Follows the parser: the document is an object, its "nodes" are a list of objects.
class ExecutionTraceHandler : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, ExecutionTraceHandler> {
 public:
  explicit ExecutionTraceHandler(JsonStream& stream) : stream_(stream) {}

  bool Default() { return scalar({}); }
  bool Bool(bool) { return scalar({}); }
  bool String(const char* text, rapidjson::SizeType size, bool) { return scalar({text, size}); }
  bool RawNumber(const char* text, rapidjson::SizeType size, bool) { return scalar({text, size}); }
  bool Key(const char* text, rapidjson::SizeType size, bool) {
    const std::string_view key(text, size);
    if (depth_ == 1) root_key_ = key, stream_.begin_part();
    if (depth_ == kInNode) wanted_ = node_.of(key);
    return true;
  }
  bool StartObject() {
    if (depth_ == kInNodes && in_nodes_) {
      node_ = {};
      stream_.begin_part();
    }
    return ++depth_ <= kDeepest;
  }
  bool EndObject(rapidjson::SizeType) {
    if (depth_-- == kInNode && in_nodes_) nodes.push_back(node_.node());
    return true;
  }
  bool StartArray() {
    in_nodes_ = depth_ == 1 ? root_key_ == "nodes" : in_nodes_;
    return ++depth_ <= kDeepest;
  }
  bool EndArray(rapidjson::SizeType) {
    if (--depth_ == 1) in_nodes_ = false;
    return true;
  }

  std::vector<ChakraNode> nodes = {};
  std::string schema = {};

 private:
  static constexpr std::size_t kInNodes = 2, kInNode = 3, kDeepest = 256;  // open containers

  bool scalar(std::string_view text) {
    if (depth_ == 1 && root_key_ == "schema") schema = text;
    if (depth_ == kInNode && in_nodes_ && wanted_) *wanted_ = text;
    return true;
  }

  JsonStream& stream_;
  std::size_t depth_ = 0;
  bool in_nodes_ = false;
  std::string root_key_ = {};
  TraceNodeMembers node_ = {};
  std::string* wanted_ = nullptr;  // the member of the last key
};

constexpr unsigned kTraceFlags = rapidjson::kParseIterativeFlag | rapidjson::kParseNumbersAsStringsFlag |
                                 rapidjson::kParseNanAndInfFlag | rapidjson::kParseValidateEncodingFlag;

}  // namespace

bool begins_execution_trace(std::string_view bytes) {
  constexpr std::string_view schema = "\"schema\"";
  const std::size_t at = bytes.find(schema);
  if (!bytes.starts_with('{') || blanks_end(bytes, 1) != at) return false;
  const std::size_t colon = blanks_end(bytes, at + schema.size());
  const std::string_view value = bytes.substr(std::min(blanks_end(bytes, colon + 1), bytes.size()));
  const bool version = value.size() > 2 && value[0] == '"' && value[1] >= '0' && value[1] <= '9';
  return version && bytes.find("\"nodes\"") != std::string_view::npos;
}

std::vector<ChakraNode> read_execution_trace(const std::string& path) {
  JsonStream stream(path);
  ExecutionTraceHandler handler(stream);
  rapidjson::Reader reader;
  reader.Parse<kTraceFlags>(stream, handler);
  if (reader.HasParseError())
    throw InputError({{path, "byte " + std::to_string(reader.GetErrorOffset()), "an execution trace as JSON",
                       stream.at_end() ? "the end of the file"
                                       : rapidjson::GetParseError_En(reader.GetParseErrorCode())}});
  const bool timed =
      std::ranges::any_of(handler.nodes, [](const ChakraNode& node) { return node.start_us.has_value(); });
  if (!timed)
    throw InputError(
        {{path, "/",
          "a trace with times: the one of torch.profiler (export_chrome_trace) of the same run, or "
          "this one joined with it by chakra_trace_link",
          "an execution trace of PyTorch (schema " + handler.schema + "), which states " +
              std::to_string(handler.nodes.size()) + " operators and no times"}});
  return std::move(handler.nodes);
}

}  // namespace spillway
