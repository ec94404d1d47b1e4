// A message that readers of a result must know before they rely on it. It stops nothing.
#pragma once

#include <string>

namespace spillway {

// `code` is for programs: a stable name of a few words with dashes ("does-not-fit"). `text` is for people:
// one sentence, without a full stop. `headline` is what the answer of a run has to say of it: a figure leaves
// a known class of error out. Empty: nothing.
struct Warning {
  std::string code;
  std::string text;
  std::string headline = {};

  friend bool operator==(const Warning&, const Warning&) = default;
};

}  // namespace spillway
