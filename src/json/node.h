// A JSON value that keeps the order of its keys.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace spillway {

struct Node;
struct Member;
using List = std::vector<Node>;
using Object = std::vector<Member>;

struct Node {
  std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double, std::string, List, Object> value;
  // True if set on the command line: a path in it is then relative to the current folder, not to the
  // document.
  bool from_user = false;

  // Equal: same type and text, and keys in the same order.
  friend bool operator==(const Node& a, const Node& b);
};

struct Member {
  std::string key;
  Node value;

  friend bool operator==(const Member&, const Member&) = default;
};

// The value of `key`, or null.
const Node* find(const Object& object, std::string_view key);
Node* find(Object& object, std::string_view key);

// The value of a key, or of an element of a list; null if there is none.
const Node* member(const Node* object, std::string_view key);
const Node* element(const Node* list, std::size_t index);

// The value as messages show it: numbers and texts as JSON, long texts cut, "a list of 3", "an object with
// "a", "b"".
std::string describe(const Node& node);

// `pointer` with one more token, escaped as RFC 6901 says.
std::string child(std::string_view pointer, std::string_view token);

// The tokens of a JSON pointer, unescaped. Contract: empty or starting with '/'.
std::vector<std::string> tokens_of(std::string_view pointer);

}  // namespace spillway
