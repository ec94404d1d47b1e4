// Numbers texts in the order in which they first appear. Private to src/traces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace spillway {

class NameIndex {
 public:
  // Returns the text's number. Does not allocate for a known text.
  std::uint32_t operator[](std::string_view text) {
    if (last_ < texts_.size() && texts_[last_] == text) return last_;
    auto found = indices_.find(text);
    if (found == indices_.end()) {
      found = indices_.emplace(text, static_cast<std::uint32_t>(texts_.size())).first;
      texts_.emplace_back(text);
    }
    return last_ = found->second;
  }

  const std::vector<std::string>& texts() const { return texts_; }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> indices_;
  std::vector<std::string> texts_;
  std::uint32_t last_ = 0;  // most rows repeat the name of the previous row
};

}  // namespace spillway
