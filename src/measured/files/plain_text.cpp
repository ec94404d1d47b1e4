#include "measured/files/plain_text.h"

#include "base/printable.h"

namespace spillway {

std::string quoted(std::string_view text) {
  return in_quotes(text);
}

}  // namespace spillway
