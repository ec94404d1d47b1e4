// What whoever reads a result has to know before relying on it; nothing stops for it.
#pragma once

#include <string>

namespace spillway {

// `code` is for programs: a few words with dashes that stay as they are ("does-not-fit"). `text` is for
// people: one sentence, without a full stop.
struct Warning {
  std::string code;
  std::string text;

  friend bool operator==(const Warning&, const Warning&) = default;
};

}  // namespace spillway
