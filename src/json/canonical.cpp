#include "json/canonical.h"

#include <algorithm>
#include <bit>
#include <string_view>

#include "json/content_digest.h"

namespace spillway {
namespace {

// Every value is written as its type's letter, its length if lengths can differ, and its content. So no two
// values have the same bytes.
struct Writer {
  std::string& bytes;

  void operator()(std::nullptr_t) const { bytes += 'n'; }
  void operator()(bool value) const { bytes += value ? 't' : 'f'; }
  void operator()(std::uint64_t value) const { tagged('u', value); }
  void operator()(std::int64_t value) const {
    tagged(value < 0 ? 'i' : 'u', static_cast<std::uint64_t>(value));
  }
  void operator()(double value) const { tagged('d', std::bit_cast<std::uint64_t>(value)); }
  void operator()(const std::string& value) const { text(value); }

  void operator()(const List& list) const {
    tagged('l', list.size());
    for (const Node& element : list) std::visit(*this, element.value);
  }

  void operator()(const Object& object) const {
    std::vector<const Member*> members;
    for (const Member& member : object) members.push_back(&member);
    std::sort(members.begin(), members.end(),
              [](const Member* a, const Member* b) { return a->key < b->key; });
    tagged('o', members.size());
    for (const Member* member : members) {
      text(member->key);
      std::visit(*this, member->value.value);
    }
  }

 private:
  void tagged(char tag, std::uint64_t value) const {
    bytes += tag;
    append_bytes(value, bytes);
  }

  void text(std::string_view value) const {
    tagged('s', value.size());
    bytes += value;
  }
};

}  // namespace

std::string canonical(const Node& node) {
  std::string bytes;
  std::visit(Writer{bytes}, node.value);
  return bytes;
}

std::string comparable(const Node& node) {
  if (const auto* value = std::get_if<std::uint64_t>(&node.value))
    return canonical({static_cast<double>(*value)});
  if (const auto* value = std::get_if<std::int64_t>(&node.value))
    return canonical({static_cast<double>(*value)});
  return canonical(node);
}

}  // namespace spillway
