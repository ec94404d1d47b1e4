#include "json/document.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "json/dumped.h"
#include "json/text_file.h"

namespace spillway {
namespace {

// nlohmann's error code for a number that is too large for a double.
constexpr int kNumberOverflow = 406;

struct Open {
  Node node;
  std::string key;  // key of the member whose value comes next
};

// Builds the Node while the library parses, because the library's own values lose the order of keys and
// duplicates.
class Builder final : public nlohmann::json_sax<nlohmann::json> {
 public:
  Builder(std::string_view text, Findings& findings) : text_(text), findings_(findings) {}

  std::optional<Node> take() && { return std::move(root_); }

  bool null() override { return put({nullptr}); }
  bool boolean(bool value) override { return put({value}); }
  bool number_integer(number_integer_t value) override { return put({value}); }
  bool number_unsigned(number_unsigned_t value) override { return put({value}); }
  bool number_float(number_float_t value, const string_t&) override { return put({value}); }
  bool string(string_t& value) override { return put({std::move(value)}); }
  bool binary(binary_t&) override { return false; }  // not in JSON text
  bool start_object(std::size_t) override { return open({Object{}}); }
  bool start_array(std::size_t) override { return open({List{}}); }
  bool end_array() override { return close(); }

  bool key(string_t& key) override {
    open_.back().key = std::move(key);
    return true;
  }

  bool end_object() override {
    report_duplicates(std::get<Object>(open_.back().node.value));
    return close();
  }

  bool parse_error(std::size_t position, const std::string& token,
                   const nlohmann::detail::exception& error) override {
    if (error.id == kNumberOverflow) {
      findings_.add(line_and_column(position - token.size() + 1), "a number that a double can hold", token);
    } else {
      findings_.add(line_and_column(position), "valid JSON", rest_of_line(position));
    }
    return false;
  }

 private:
  bool open(Node node) {
    if (open_.size() == kDeepest) {
      findings_.add(pointer(), "at most " + std::to_string(kDeepest) + " levels of nesting", "more");
      return false;
    }
    open_.push_back({std::move(node), {}});
    return true;
  }

  bool close() {
    Node node = std::move(open_.back().node);
    open_.pop_back();
    return put(std::move(node));
  }

  bool put(Node node) {
    if (open_.empty()) {
      root_ = std::move(node);
    } else if (auto* list = std::get_if<List>(&open_.back().node.value)) {
      list->push_back(std::move(node));
    } else {
      std::get<Object>(open_.back().node.value).push_back({std::move(open_.back().key), std::move(node)});
    }
    return true;
  }

  // The pointer of the next value.
  std::string pointer() const {
    std::string text;
    for (const Open& open : open_) {
      const auto* list = std::get_if<List>(&open.node.value);
      text = child(text, list ? std::to_string(list->size()) : open.key);
    }
    return text;
  }

  // `closing` is still on the stack: the pointer of its parent's next value is its own.
  void report_duplicates(const Object& closing) {
    std::vector<std::string_view> keys;
    for (const Member& member : closing) keys.push_back(member.key);
    std::sort(keys.begin(), keys.end());
    for (auto key = keys.begin(); (key = std::adjacent_find(key, keys.end())) != keys.end();) {
      open_.back().key = *key;
      findings_.add(pointer(), "this key once", "it more than once");
      key = std::upper_bound(key, keys.end(), *key);
    }
  }

  // The library counts the bytes that it has read, so `position` is that of the faulty byte, from 1; one more
  // at the end.
  std::string_view before(std::size_t position) const {
    return text_.substr(0, position == 0 ? 0 : position - 1);
  }

  std::string line_and_column(std::size_t position) const {
    const std::string_view read = before(position);
    const auto line = 1 + std::count(read.begin(), read.end(), '\n');
    const std::size_t newline = read.rfind('\n');
    const std::size_t column = read.size() - (newline == std::string_view::npos ? 0 : newline + 1) + 1;
    return "line " + std::to_string(line) + ", column " + std::to_string(column);
  }

  std::string rest_of_line(std::size_t position) const {
    const std::string_view rest = text_.substr(before(position).size());
    if (rest.empty()) return "the end of the text";
    return describe({std::string(rest.substr(0, rest.find('\n')))});
  }

  std::string_view text_;
  Findings& findings_;
  std::vector<Open> open_;
  std::optional<Node> root_;
};

using Json = nlohmann::ordered_json;

Json to_json(const Node& node);

Json to_json(const List& list) {
  Json all = Json::array();
  for (const Node& element : list) all.push_back(to_json(element));
  return all;
}

Json to_json(const Object& object) {
  Json all = Json::object();
  for (const Member& member : object) all[member.key] = to_json(member.value);
  return all;
}

template <class Scalar>
Json to_json(const Scalar& scalar) {
  return scalar;
}

Json to_json(const Node& node) {
  return std::visit([](const auto& value) { return to_json(value); }, node.value);
}

}  // namespace

std::string compact_json(const Node& node) {
  return dumped(to_json(node));
}

std::string json_text(const Node& node) {
  return dumped(to_json(node), 2) + '\n';
}

std::optional<Node> parse_json(std::string_view text, Findings& findings) {
  Builder builder(text, findings);
  if (!nlohmann::json::sax_parse(text, &builder)) return std::nullopt;
  return std::move(builder).take();
}

std::optional<Node> read_json(const Source& source, Findings& findings, const Files& files) {
  if (source.text) return parse_json(*source.text, findings);
  const std::optional<std::string> text = read_file(source.file, findings, files);
  if (!text) return std::nullopt;
  return parse_json(*text, findings);
}

}  // namespace spillway
