// Numbers different values in the order of their first use. Private to src/program.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace spillway {

template <class Value>
class Numbered {
 public:
  std::uint32_t number(Value value) {
    return numbers_.try_emplace(std::move(value), static_cast<std::uint32_t>(numbers_.size())).first->second;
  }

  // Returns the values, each at its number.
  std::vector<Value> all() const {
    std::vector<Value> values(numbers_.size());
    for (const auto& [value, number] : numbers_) values[number] = value;
    return values;
  }

 private:
  std::map<Value, std::uint32_t> numbers_;
};

}  // namespace spillway
