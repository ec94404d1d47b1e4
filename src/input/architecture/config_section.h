// One section of a Hugging Face config.json, as a family's reader walks it. Private to src/input.
//
// Which keys are held against the file:
//   - A size that is missing, null or of the wrong type is reported.
//   - A key that says the network is built differently from how it is counted here is reported
//     (hidden_act, attention_bias, sliding windows, ...): the family's reader names them.
//   - A key that no reader asked for is passed over where it is known to change nothing (is_idle_config_key in config_section.cpp)
//     or its value is null, false, 0 or empty. Else it is reported with the nearest key that is known, for it
//     may be a slip or a part of the network that is not counted. To pass a file with such a key, take the
//     key out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/place.h"

namespace spillway {

class ConfigSection {
 public:
  // The document itself.
  ConfigSection(const Node& document, Findings& findings);
  // A section within `whole`, which outlives this.
  ConfigSection(const Node* section, std::string pointer, ConfigSection& whole, Findings& findings);

  // The document that encloses the section, or is it.
  ConfigSection& whole() { return whole_ ? *whole_ : *this; }

  // A required size; reads as 0 where it is missing or wrong. With two names, `field` is the architecture's.
  std::uint32_t size(std::string_view key);
  std::uint32_t size(std::string_view field, std::string_view key);
  // Absent or null: nothing.
  std::optional<std::uint32_t> optional_size(std::string_view key);
  std::uint32_t size_or(std::string_view field, std::string_view key, std::uint32_t otherwise);
  std::optional<double> ratio(std::string_view key, const Range& range);
  bool flag(std::string_view key, bool otherwise);
  // The section's, else the document's: where multimodal files have it differs.
  bool flag_anywhere(std::string_view key, bool otherwise);
  // Absent or not a list of numbers: empty, the latter reported.
  std::vector<std::uint32_t> sizes(std::string_view key);
  std::vector<std::string> words(std::string_view key);
  std::string word(std::string_view key);  // "" where it is none
  // The hidden size of the language model that the document has beside this tower.
  std::uint32_t backbone_width();

  // Reports the key if it is there, not null, and anything else.
  void expect_flag(std::string_view key, bool value);
  void expect_size(std::string_view key, std::uint32_t value);
  void expect_whole(std::string_view key, std::int64_t value);
  void expect_list_of(std::string_view key, std::uint32_t value);  // over and over
  void expect_word(std::string_view key, const std::vector<std::string_view>& one_of);
  void expect_empty(std::string_view key);
  // Keys that change nothing here.
  void pass_over(std::initializer_list<std::string_view> keys);

  // Where the key is, or would be.
  std::string pointer_to(std::string_view key) const;
  void refuse(std::string_view key, std::string expected, std::string found);
  // One element of a list.
  void refuse_element(std::string_view key, std::size_t index, std::string expected, std::string found);
  // Reports the keys that nobody asked for and that may change something.
  void refuse_unknown() const;
  // Of the keys that are there: those that were asked for, and those that were not.
  std::vector<std::string> keys(bool asked_for) const;
  // Of violations of an architecture, whose pointers name its fields: the file's keys instead.
  std::vector<Violation> in_file(std::vector<Violation> violations) const;

 private:
  std::optional<Place> at(std::string_view key);
  std::optional<Place> require(std::string_view key);

  const Object* object_;
  std::string pointer_;
  ConfigSection* whole_ = nullptr;  // null: this is the document
  Findings& findings_;
  std::vector<std::string> known_;
  std::map<std::string, std::string, std::less<>> keys_;  // by field, where they differ
};

}  // namespace spillway
