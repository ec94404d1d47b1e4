#include "compare/differences.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <span>
#include <string_view>

#include "base/files.h"
#include "base/findings.h"
#include "base/number.h"
#include "json/canonical.h"
#include "json/document.h"
#include "json/settings.h"

namespace spillway {
namespace {

bool is_list_of_objects(const List& list) {
  return !list.empty() && std::all_of(list.begin(), list.end(), [](const Node& element) {
    return std::holds_alternative<Object>(element.value);
  });
}

bool same_bytes(const std::string& a, const std::string& b) {
  std::ifstream first(a, std::ios::binary), second(b, std::ios::binary);
  const std::istreambuf_iterator<char> end;
  return std::equal(std::istreambuf_iterator<char>(first), end, std::istreambuf_iterator<char>(second), end);
}

// Returns the document in a file, or nothing if the file is not JSON.
std::optional<Node> document_in(const std::string& path) {
  Findings ignored(path);
  return read_json(path, ignored);
}

class Differ {
 public:
  explicit Differ(HeldAgainst what) : what_(what) {}

  void hold(const Node& a, const Node& b, const std::string& pointer) {
    const auto *object = std::get_if<Object>(&a.value), *other = std::get_if<Object>(&b.value);
    if (object && other) return hold_objects(*object, *other, pointer);
    const auto *list = std::get_if<List>(&a.value), *other_list = std::get_if<List>(&b.value);
    if (list && other_list && list->size() == other_list->size() && is_list_of_objects(*list) &&
        is_list_of_objects(*other_list))
      return hold_elements(*list, *other_list, pointer);
    if (!equal(a, b) && !hold_files(a, b, pointer)) add(pointer, a, b);
  }

  std::vector<Difference> take() && { return std::move(found_); }

 private:
  static bool equal(const Node& a, const Node& b) {
    const auto *list = std::get_if<List>(&a.value), *other = std::get_if<List>(&b.value);
    if (list && other) return std::equal(list->begin(), list->end(), other->begin(), other->end(), equal);
    return comparable(a) == comparable(b);
  }

  void add(const std::string& pointer, std::optional<Node> a, std::optional<Node> b) {
    found_.push_back({pointer, std::move(a), std::move(b), file_at_.empty() ? pointer : file_at_});
  }

  void hold_objects(const Object& a, const Object& b, const std::string& pointer) {
    for (const Member& member : a) {
      const std::string below = child(pointer, member.key);
      if (const Node* other = find(b, member.key))
        hold(member.value, *other, below);
      else if (what_ != HeldAgainst::Common)
        add(below, member.value, std::nullopt);
    }
    if (what_ == HeldAgainst::Common) return;
    for (const Member& member : b)
      if (!find(a, member.key)) add(child(pointer, member.key), std::nullopt, member.value);
  }

  void hold_elements(const List& a, const List& b, const std::string& pointer) {
    for (std::size_t i = 0; i < a.size(); ++i) hold(a[i], b[i], child(pointer, std::to_string(i)));
  }

  // Compares the files that two texts name. Returns true if this explains the difference of the texts.
  bool hold_files(const Node& a, const Node& b, const std::string& pointer) {
    const auto *path = std::get_if<std::string>(&a.value), *other = std::get_if<std::string>(&b.value);
    if (what_ != HeldAgainst::NamedFilesToo || !path || !other || !file_at_.empty()) return false;
    if (!path->starts_with('/') || !is_plain_file(*path) || !is_plain_file(*other)) return false;
    if (same_bytes(*path, *other)) return true;
    const std::optional<Node> document = document_in(*path), other_document = document_in(*other);
    if (!document || !other_document) return false;
    const std::size_t known = found_.size();
    file_at_ = pointer;
    hold(*document, *other_document, pointer);
    file_at_.clear();
    return found_.size() > known;
  }

  HeldAgainst what_;
  std::string file_at_;  // pointer of the path of the file being compared; empty in the document itself
  std::vector<Difference> found_;
};

void put(Node& node, std::span<const std::string> tokens, const Node* value) {
  if (tokens.empty()) {
    node = *value;
  } else if (auto* list = std::get_if<List>(&node.value)) {
    put(list->at(number_from<std::size_t>(tokens.front()).value()), tokens.subspan(1), value);
  } else {
    auto& object = std::get<Object>(node.value);
    Node* member = find(object, tokens.front());
    if (member && (value || tokens.size() > 1))
      put(*member, tokens.subspan(1), value);
    else if (member)
      std::erase_if(object, [&](const Member& one) { return one.key == tokens.front(); });
    else if (value)
      object.push_back({tokens.front(), *value});
  }
}

}  // namespace

bool is_for_readers(const Difference& difference) {
  constexpr std::array<std::string_view, 3> kTops = {"/name", "/assumptions", "/baseline"};
  constexpr std::array<std::string_view, 3> kLast = {"note", "source", "kind"};
  const std::string_view pointer = difference.pointer, last = pointer.substr(pointer.rfind('/') + 1);
  return std::ranges::find(kTops, pointer) != kTops.end() || std::ranges::find(kLast, last) != kLast.end();
}

std::vector<Difference> differences(const Node& a, const Node& b, HeldAgainst what) {
  Differ differ(what);
  differ.hold(a, b, "");
  return std::move(differ).take();
}

void take_over(const std::string& place, const Node& from, Node& document) {
  put(document, tokens_of(place), value_at(from, place));
}

}  // namespace spillway
