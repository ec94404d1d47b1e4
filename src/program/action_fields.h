// The members of one action as the parser of a program passes them: a value or none for each known key. One
// record serves all actions, so that reading allocates nothing. Private to src/program.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace spillway {

enum class ActionKey : std::uint8_t {
  Id,
  Op,
  Pass,
  StageIndex,
  ToStageIndex,
  FromStageIndex,
  BackwardStageIndex,
  BackwardMicrobatch,
  BackwardFromStageIndex,
  Microbatch,
  Peer,
  Tag,
  ByteCount,
  Shape,
  DType,
  For,
  Group,
  Root,
  Duration
};
inline constexpr std::array<std::string_view, 19> kActionKeys = {"id",
                                                                 "op",
                                                                 "pass",
                                                                 "stage_index",
                                                                 "to_stage_index",
                                                                 "from_stage_index",
                                                                 "backward_stage_index",
                                                                 "backward_microbatch",
                                                                 "backward_from_stage_index",
                                                                 "microbatch",
                                                                 "peer",
                                                                 "tag",
                                                                 "bytes",
                                                                 "shape",
                                                                 "dtype",
                                                                 "for",
                                                                 "group",
                                                                 "root",
                                                                 "seconds"};
inline constexpr std::string_view to_string(ActionKey key) {
  return kActionKeys[static_cast<std::size_t>(key)];
}

// A set of keys, a bit each.
using ActionKeySet = std::uint32_t;
template <class... Keys>
constexpr ActionKeySet keys_of(Keys... keys) {
  return ((ActionKeySet{1} << static_cast<unsigned>(keys)) | ... | 0);
}

// The kinds of JSON value, and no value.
enum class JsonKind : std::uint8_t { Absent, Null, Boolean, Number, Text, Array, Dictionary };

struct ActionValue {
  JsonKind kind = JsonKind::Absent;
  std::string text;  // of a scalar; of a list, the texts of its elements, each after a blank
};

class ActionFields {
 public:
  // The parser's calls, from the beginning of the action's object to its end.
  void begin();
  void key(std::string_view name);
  void scalar(JsonKind kind, std::string_view text);
  void open(JsonKind kind);
  // Returns true if this closes the action itself.
  bool close() { return --depth_ == 0; }

  const ActionValue& operator[](ActionKey key) const { return values_[static_cast<std::size_t>(key)]; }
  ActionKeySet present() const { return present_; }
  ActionKeySet repeated() const { return repeated_; }
  const std::vector<std::string>& unknown() const { return unknown_; }

  // The value as messages show it.
  static std::string described(const ActionValue& value);

 private:
  std::array<ActionValue, kActionKeys.size()> values_;
  std::size_t depth_ = 0;           // open containers, the action included
  ActionValue* current_ = nullptr;  // of the last key; null if it is not known, or there already
  ActionKeySet present_ = 0, repeated_ = 0;
  std::vector<std::string> unknown_;
};

}  // namespace spillway
