#include "measured/plain_text.h"

#include "base/printable.h"
#include "base/utf8.h"

namespace spillway {

std::string quoted(std::string_view text) {
  const std::string_view shown = front_of(text, 60);
  return '"' + printable(shown) + (shown.size() < text.size() ? "...\"" : "\"");
}

}  // namespace spillway
