// One section of a Hugging Face config.json, as a family's reader sees it. Private to src/input.
//
// How keys are checked:
//   - A size that is missing, null or of the wrong type is reported.
//   - A key that makes the network differ from the one counted here is reported (hidden_act, attention_bias,
//     sliding windows, ...). The family's reader names these keys.
//   - A key that no reader asked for is ignored if it is known to change nothing (is_idle_config_key in
//     idle_config_keys.h), or if its value is null, false, 0 or empty. Otherwise it is reported with the
//     nearest known key: it may be a misspelling, or a part of the network that is not counted. To read a
//     file with such a key, remove the key.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "input/architecture/class_defaults.h"
#include "json/place.h"

namespace spillway {

class ConfigSection {
 public:
  // The document itself, or its part at `pointer` that is read as a document.
  ConfigSection(const Node& document, Findings& findings, std::string pointer = "");
  // A section within `whole`, which outlives this.
  ConfigSection(const Node* section, std::string pointer, ConfigSection& whole, Findings& findings);

  // Returns the document that encloses the section, or is it.
  ConfigSection& whole() { return whole_ ? *whole_ : *this; }
  bool is_nested() const { return whole_ != nullptr; }
  // Returns true if the key is present and not null.
  bool has(std::string_view key);
  // Returns the object under the key as a section of the same document. Reports another value.
  ConfigSection part(std::string_view key);

  // Sizes that the configuration's class gives where a nested section leaves them out, as files of composed
  // models do: they hold only what differs from the class. Changes nothing for a document.
  void assume(std::span<const ClassDefault> defaults);
  // The assumed sizes that were used, "hidden_size 4096, num_hidden_layers 32"; "" if there are none.
  std::string assumed() const;

  // Reads a required size; 0 if it is missing or wrong. `field` is the architecture's name of it, if that
  // differs.
  std::uint32_t size(std::string_view key);
  std::uint32_t size(std::string_view field, std::string_view key);
  // Returns nothing if the key is absent or null.
  std::optional<std::uint32_t> optional_size(std::string_view key);
  std::uint32_t size_or(std::string_view field, std::string_view key, std::uint32_t otherwise);
  // Reads a size under the first of the keys that is present; reports the first if none is.
  std::uint32_t size_of_any(std::string_view field, std::initializer_list<std::string_view> keys);
  // Reads a size, or a list of two equal ones, as [14, 14].
  std::uint32_t square(std::string_view field, std::string_view key);
  // Reads a size that is not 0; 1 if it is missing or wrong. For sizes that no check of an architecture
  // names.
  std::uint32_t positive(std::string_view key);
  std::uint32_t positive_or(std::string_view key, std::uint32_t otherwise);
  std::optional<double> ratio(std::string_view key, const Range& range);
  bool flag(std::string_view key, bool otherwise);
  // Reads the section's flag, otherwise the document's: multimodal files differ in where they have it.
  bool flag_anywhere(std::string_view key, bool otherwise);
  // Returns an empty list if the key is absent, or if it is no list of numbers, which is reported.
  std::vector<std::uint32_t> sizes(std::string_view key);
  std::vector<std::string> words(std::string_view key);
  std::string word(std::string_view key);  // "" if it is no word
  bool has_list(std::string_view key);  // also an empty one
  bool is_whole(std::string_view key, std::int64_t value);
  // Returns the objects of a list inside this section; nothing if it is no such list, which is reported.
  std::vector<ConfigSection> each(std::string_view key);
  // Returns the hidden size of the language model that the document has beside this tower.
  std::uint32_t backbone_width();

  // Each reports the key if it is present, not null, and has another value.
  void expect_flag(std::string_view key, bool value);
  void expect_size(std::string_view key, std::uint32_t value);
  void expect_whole(std::string_view key, std::int64_t value);
  void expect_list_of(std::string_view key, std::uint32_t value);  // every element is `value`
  void expect_word(std::string_view key, const std::vector<std::string_view>& one_of);
  void expect_empty(std::string_view key);
  // Marks keys that change nothing here.
  void pass_over(std::initializer_list<std::string_view> keys);
  void pass_over(std::span<const std::string_view> keys);
  void pass_over_keys_of(const Node& section);
  void pass_over_rest();  // of a part that is refused for other keys

  // Returns the pointer at which the key is, or would be.
  std::string pointer_to(std::string_view key) const;
  void refuse(std::string_view key, std::string expected, std::string found);
  // Reports one element of a list.
  void refuse_element(std::string_view key, std::size_t index, std::string expected, std::string found);
  // Reports the keys that no reader asked for and that may change something.
  void refuse_unknown() const;
  // Returns the present keys that were asked for, or those that were not.
  std::vector<std::string> keys(bool asked_for) const;
  // Returns violations of an architecture with the file's keys in their pointers, instead of the
  // architecture's fields.
  std::vector<Violation> in_file(std::vector<Violation> violations) const;

 private:
  std::optional<Place> at(std::string_view key);
  std::optional<Place> require(std::string_view key);
  std::optional<std::uint32_t> assumed(std::string_view key);

  const Object* object_;
  std::string pointer_;
  ConfigSection* whole_ = nullptr;  // null if this is the document
  Findings& findings_;
  std::vector<std::string> known_;
  std::map<std::string, std::string, std::less<>> keys_;  // key by field, if the names differ
  std::map<std::string, std::uint32_t, std::less<>> defaults_;
  std::vector<std::string> assumed_;
};

}  // namespace spillway
