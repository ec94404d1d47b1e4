// A value at its place in a document, and readers that convert it to a type or report why they cannot.
// Readers continue after an error if possible, so that one pass finds every violation.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/findings.h"
#include "json/file_memory.h"
#include "json/node.h"

namespace spillway {

struct Place {
  const Node* node;
  std::string pointer;
  Findings* findings;
  const Files* files;  // opens the files that the document names

  // Reports that the value is not `expected`.
  void refuse(std::string expected) const { findings->add(pointer, std::move(expected), describe(*node)); }
};

// Limits of all quantities. No quantity of training exceeds them, and products and squares of a few values
// within them are finite.
inline constexpr double kSmallestNumber = 1e-30, kLargestNumber = 1e30;

// The allowed numbers within these limits (or 0), and their description in messages.
struct Range {
  double above = -std::numeric_limits<double>::infinity();     // exclusive
  double at_least = -std::numeric_limits<double>::infinity();  // inclusive
  double at_most = kLargestNumber;
  const char* expected = "a number";
};
inline constexpr Range kNotNegative{.at_least = 0, .expected = "a number of at least 0"};
inline constexpr Range kPositive{.above = 0, .expected = "a number above 0"};
inline constexpr Range kShare{.at_least = 0, .at_most = 1, .expected = "a number from 0 to 1"};
inline constexpr Range kEfficiency{.above = 0, .at_most = 1, .expected = "a number above 0 and at most 1"};

std::optional<double> read_number(const Place& place, const Range& range);
std::optional<bool> read_boolean(const Place& place);
std::optional<std::string> read_text(const Place& place);  // not empty

// A whole number from `least` to `most`, written without a fraction or exponent.
std::optional<std::uint64_t> read_whole(const Place& place, std::uint64_t least, std::uint64_t most);
std::optional<std::uint32_t> read_count(const Place& place, std::uint32_t least = 1,
                                        std::uint32_t most = std::numeric_limits<std::uint32_t>::max());

// One of the listed words.
template <class Value>
using Choices = std::span<const std::pair<std::string_view, Value>>;
std::optional<std::size_t> read_word(const Place& place, const std::vector<std::string_view>& words);
template <class Value>
std::optional<Value> read_choice(const Place& place, Choices<Value> choices) {
  std::vector<std::string_view> words;
  for (const auto& [word, value] : choices) words.push_back(word);
  const std::optional<std::size_t> index = read_word(place, words);
  return index ? std::optional(choices[*index].second) : std::nullopt;
}

// The places of a list's elements; nothing if the value is not a list.
std::optional<std::vector<Place>> read_list(const Place& place);

// The members, with their places, of an object whose keys are free names. Reports a value that is not an
// object, and returns none.
std::vector<std::pair<std::string, Place>> read_members(const Place& place);

// Reads a list; returns nothing unless every element reads.
template <class Read>
auto read_each(const Place& place, Read read)
    -> std::optional<std::vector<typename decltype(read(place))::value_type>> {
  const auto elements = read_list(place);
  if (!elements) return std::nullopt;
  std::vector<typename decltype(read(place))::value_type> values;
  for (const Place& element : *elements)
    if (auto value = read(element)) values.push_back(*std::move(value));
  return values.size() == elements->size() ? std::optional(std::move(values)) : std::nullopt;
}

// Editors' key for the schema of a document; no reader uses it.
inline constexpr std::string_view kEditorsKey = "$schema";

// An object with a fixed set of keys. An unknown key is reported with the known key that it may misspell, or
// with all known keys. A value that is not an object is reported once and then has no keys.
class Fields {
 public:
  Fields(const Place& place, std::vector<std::string_view> known);

  Findings& findings() const { return *place_.findings; }
  // The value of an optional key.
  std::optional<Place> at(std::string_view key) const;
  // The value of a required key; its absence is reported.
  std::optional<Place> require(std::string_view key) const;
  // Reports the key if it is present, because it excludes another one.
  void forbid(std::string_view key, const std::string& expected) const;

  // The key's value as `read` reads it; nothing if the key is absent or `read` rejects the value.
  template <class Read>
  auto get(std::string_view key, Read read) const -> decltype(read(std::declval<Place>())) {
    const std::optional<Place> place = at(key);
    if (!place) return std::nullopt;
    return read(*place);
  }
  template <class Read>
  auto need(std::string_view key, Read read) const -> decltype(read(std::declval<Place>())) {
    const std::optional<Place> place = require(key);
    if (!place) return std::nullopt;
    return read(*place);
  }

 private:
  Place place_;
  const Object* object_;
};

// The beginning of `expected` in messages about unknown keys.
inline constexpr std::string_view kKnownKey = "a known key";

// Requires that the object's "schema" key is `schema`.
void require_schema(const Fields& fields, const std::string& schema);

// Refuses a text under `key` that another entry of the list has, because entries are known by this name.
void require_once(const Fields& fields, std::string_view list, std::string_view key);

}  // namespace spillway
