// What ranks send each other.
#pragma once

#include <string>

namespace spillway {

struct Letter {
  int from = 0;  // rank
  int kind = 0;
  std::string text = {};
};

}  // namespace spillway
