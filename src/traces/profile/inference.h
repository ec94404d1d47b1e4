// A finding that a file does not state in so many words, with how it was found and how sure it is. Private to
// src/traces, except for reports.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace spillway {

enum class Confidence : std::uint8_t {
  Stated,   // the file says so
  Likely,   // the file shows what only this causes in the programs that we know
  Guessed,  // it fits, and something else may fit, too
  Missing   // nothing was found
};

inline std::string_view to_string(Confidence confidence) {
  switch (confidence) {
    case Confidence::Stated:
      return "stated";
    case Confidence::Likely:
      return "likely";
    case Confidence::Guessed:
      return "guessed";
    case Confidence::Missing:
      return "missing";
  }
  return "missing";
}

struct Inferred {
  std::string what;   // "steps", "backward", "layers", ...
  std::string found;  // "5", "none", ...
  std::string how;    // "ranges of autograd's engine"
  Confidence confidence;
};

}  // namespace spillway
