#include "program/program_parser.h"

#include <rapidjson/error/en.h>
#include <rapidjson/reader.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <optional>
#include <string_view>

#include "base/error.h"
#include "json/document.h"
#include "json/json_stream.h"
#include "json/place.h"

namespace spillway {
namespace {

using JsonWriter = rapidjson::Writer<rapidjson::StringBuffer>;

std::optional<ProgramSample::Media> read_media(const Place& place) {
  const Fields fields(place, {"kind", "patches", "tokens"});
  static const std::vector<std::string_view> kinds = {"image", "clip"};
  const auto kind = fields.need("kind", [](const Place& word) { return read_word(word, kinds); });
  const auto count = [](const Place& number) { return read_count(number, 0); };
  const auto patches = fields.need("patches", count), tokens = fields.need("tokens", count);
  if (!kind || !patches || !tokens) return {};
  return ProgramSample::Media{kinds[*kind], *patches, *tokens};
}

ProgramSample read_sample(const Place& place) {
  const Fields fields(place, {"tokens", "text_tokens", "media"});
  const auto whole = [](const Place& number) {
    return read_whole(number, 0, std::numeric_limits<std::uint64_t>::max());
  };
  const auto tokens = fields.need("tokens", whole), text = fields.need("text_tokens", whole);
  auto media = fields.need("media", [](const Place& list) { return read_each(list, read_media); });
  return {tokens.value_or(0), text.value_or(0),
          std::move(media).value_or(std::vector<ProgramSample::Media>())};
}

// Follows the parser through the document: outside, in an action, or in a sample.
class ProgramHandler : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, ProgramHandler> {
 public:
  ProgramHandler(ParsedProgram& parsed, JsonStream& stream, Findings& findings)
      : parsed_(parsed), stream_(stream), findings_(findings) {}

  bool Null() {
    return scalar(JsonKind::Null, "null", [](JsonWriter& text) { text.Null(); });
  }
  bool Bool(bool value) {
    return scalar(JsonKind::Boolean, value ? "true" : "false", [&](JsonWriter& text) { text.Bool(value); });
  }
  bool String(const char* value, rapidjson::SizeType size, bool) {
    return scalar(JsonKind::Text, {value, size}, [&](JsonWriter& text) { text.String(value, size); });
  }
  bool RawNumber(const char* value, rapidjson::SizeType size, bool) {
    return scalar(JsonKind::Number, {value, size},
                  [&](JsonWriter& text) { text.RawValue(value, size, rapidjson::kNumberType); });
  }
  bool Key(const char* name, rapidjson::SizeType size, bool) {
    if (in_ == In::Action) return fields_.key({name, size}), true;
    if (in_ == In::Head) levels_.back().key.assign(name, size);
    return writer().Key(name, size);
  }
  bool StartObject() { return open(JsonKind::Dictionary); }
  bool StartArray() { return open(JsonKind::Array); }
  bool EndObject(rapidjson::SizeType) { return close(JsonKind::Dictionary); }
  bool EndArray(rapidjson::SizeType) { return close(JsonKind::Array); }

  std::string head() const { return {head_text_.GetString(), head_text_.GetSize()}; }
  // If the handler stopped the parser, these say why.
  bool too_deep() const { return levels_.size() + depth_ > kDeepest; }
  bool too_large() const { return head_text_.GetSize() > kLargestHead; }
  std::size_t actions() const { return actions_; }

 private:
  enum class In { Head, Action, Sample };
  // One step of the path from the root to the next value.
  struct Level {
    bool array;
    std::size_t index;  // of an array's element
    std::string key;    // of an object's member
  };
  // No program that a machine can hold has a larger head: 32,768 ranks have 3 MB.
  static constexpr std::size_t kLargestHead = std::size_t{64} << 20;

  JsonWriter& writer() { return in_ == In::Sample ? sample_writer_ : head_writer_; }

  // Returns true if the next value is an element of a rank's actions.
  bool at_action() const {
    return levels_.size() == 4 && levels_[0].key == "programs" && levels_[1].array && !levels_[2].array &&
           levels_[2].key == "actions" && levels_[3].array;
  }
  bool at_sample() const {
    return levels_.size() == 3 && levels_[0].key == "samples" && levels_[1].array && levels_[2].array;
  }
  // Rows of samples and ranks exist even if they are empty.
  void begin_list() {
    if (at_action() && parsed_.ranks.size() <= levels_[1].index)
      for (std::size_t rank = parsed_.ranks.size(); rank <= levels_[1].index; ++rank)
        parsed_.ranks.emplace_back(rank);
    if (at_sample()) parsed_.samples.resize(std::max(parsed_.samples.size(), levels_[1].index + 1));
  }
  bool in_bounds() const { return !too_deep() && !too_large(); }

  template <class Write>
  bool scalar(JsonKind kind, std::string_view text, const Write& write) {
    if (in_ == In::Action) return fields_.scalar(kind, text), true;
    if (in_ == In::Sample) return write(sample_writer_), true;
    stream_.begin_part();
    if (at_action()) return refuse_action(kind, text), next();
    if (at_sample()) {
      begin_sample();
      write(sample_writer_);
      return end_sample(), next();
    }
    write(head_writer_);
    return next() && in_bounds();
  }

  bool open(JsonKind kind) {
    if (in_ != In::Head) {
      if (in_ == In::Action) fields_.open(kind);
      if (in_ == In::Sample) write_open(kind);
      return ++depth_, in_bounds();
    }
    stream_.begin_part();
    if (at_action()) return begin_action(kind), true;
    if (at_sample()) return begin_sample(), write_open(kind), ++depth_, true;
    write_open(kind);
    levels_.push_back({kind == JsonKind::Array, 0, {}});
    return begin_list(), in_bounds();
  }

  bool close(JsonKind kind) {
    if (in_ == In::Action) {
      fields_.close();
      return --depth_ == 0 ? (end_action(), next()) : true;
    }
    kind == JsonKind::Array ? writer().EndArray() : writer().EndObject();
    if (in_ == In::Sample) return --depth_ == 0 ? (end_sample(), next()) : true;
    levels_.pop_back();
    return next();
  }
  void write_open(JsonKind kind) { kind == JsonKind::Array ? writer().StartArray() : writer().StartObject(); }
  bool next() {
    if (!levels_.empty() && levels_.back().array) ++levels_.back().index;
    return true;
  }

  void begin_action(JsonKind kind) {
    if (kind == JsonKind::Array) refuse_action(kind, "a list");
    list_for_action_ = kind == JsonKind::Array;
    in_ = In::Action;
    depth_ = 1;
    fields_.begin();
  }
  void end_action() {
    in_ = In::Head;
    ++actions_;
    const std::size_t program = levels_[1].index;
    if (!list_for_action_)
      parsed_.ranks[program].add(read_action(fields_, program, levels_[3].index, parsed_.sizes, findings_),
                                 findings_);
  }
  void refuse_action(JsonKind kind, std::string_view text) {
    parsed_.ranks[levels_[1].index].add({}, findings_);
    if (findings_.is_full()) return findings_.count_one_more();
    findings_.add(
        action_pointer(levels_[1].index, levels_[3].index), "an object",
        ActionFields::described({kind == JsonKind::Array ? JsonKind::Null : kind, std::string(text)}));
  }

  void begin_sample() {
    in_ = In::Sample;
    sample_text_.Clear();
    sample_writer_.Reset(sample_text_);
  }
  void end_sample() {
    in_ = In::Head;
    const std::string pointer =
        "/samples/" + std::to_string(levels_[1].index) + '/' + std::to_string(levels_[2].index);
    Findings within;
    const auto node = parse_json({sample_text_.GetString(), sample_text_.GetSize()}, within);
    parsed_.samples[levels_[1].index].push_back(node ? read_sample({&*node, "", &within, &files_})
                                                     : ProgramSample{});
    for (Violation& violation : within.listed()) {
      const std::string below = violation.pointer == "/" ? "" : violation.pointer;
      findings_.add(pointer + below, std::move(violation.expected), std::move(violation.found));
    }
  }

  ParsedProgram& parsed_;
  JsonStream& stream_;
  Findings& findings_;
  In in_ = In::Head;
  std::vector<Level> levels_;  // open containers, down to an action or sample
  std::size_t depth_ = 0;      // open containers in it
  bool list_for_action_ = false;
  std::size_t actions_ = 0;
  ActionFields fields_;
  Files files_;
  rapidjson::StringBuffer head_text_, sample_text_;
  JsonWriter head_writer_{head_text_}, sample_writer_{sample_text_};
};

// The parser is iterative because deep nesting must not grow the call stack.
constexpr unsigned kProgramFlags = rapidjson::kParseIterativeFlag | rapidjson::kParseNumbersAsStringsFlag |
                                   rapidjson::kParseValidateEncodingFlag;

std::string what_ended(const ProgramHandler& handler, const JsonStream& stream,
                       rapidjson::ParseErrorCode code) {
  if (handler.too_deep()) return "more than " + std::to_string(kDeepest) + " levels of nesting";
  if (handler.too_large()) return "more than 64 MiB beside its actions and samples";
  const std::string what = stream.at_end() ? "the end of the file" : rapidjson::GetParseError_En(code);
  return what + " after " + std::to_string(handler.actions()) + " actions";
}

}  // namespace

ParsedProgram parse_program(const Source& source, Findings& findings) {
  ParsedProgram parsed;
  JsonStream stream(source);
  ProgramHandler handler(parsed, stream, findings);
  rapidjson::Reader reader;
  reader.Parse<kProgramFlags>(stream, handler);
  const bool beyond = !reader.HasParseError() && !stream.at_end();  // a zero byte ends the parser's text
  if (reader.HasParseError() || beyond)
    throw InputError(
        {{source.file, "byte " + std::to_string(beyond ? stream.Tell() : reader.GetErrorOffset()),
          "a program as JSON",
          beyond ? "a zero byte" : what_ended(handler, stream, reader.GetParseErrorCode())}});
  parsed.head = handler.head();
  return parsed;
}

}  // namespace spillway
