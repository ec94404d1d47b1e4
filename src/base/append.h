// Appends one list to another.
#pragma once

#include <vector>

namespace spillway {

template <class Item>
void append(std::vector<Item>& all, const std::vector<Item>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

}  // namespace spillway
