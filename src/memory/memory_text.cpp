#include "memory/memory_text.h"

#include <array>
#include <iomanip>
#include <sstream>
#include <utility>

#include "base/text.h"

namespace spillway {

std::string bytes_text(Bytes bytes) {
  constexpr std::array<std::pair<double, const char*>, 5> units = {
      {{1e12, " TB"}, {1e9, " GB"}, {1e6, " MB"}, {1e3, " kB"}, {0, " B"}}};
  std::ostringstream text;
  for (const auto& [least, name] : units) {
    if (bytes.value() < least) continue;
    text << std::setprecision(4) << bytes.value() / (least > 0 ? least : 1) << name;
    break;
  }
  return text.str();
}

std::string parts_text(const MemoryParts& parts) {
  const std::array<std::pair<const char*, Bytes>, 8> named = {{{"parameters ", parts.state.parameters},
                                                               {"gradients ", parts.state.gradients},
                                                               {"optimizer ", parts.state.optimizer},
                                                               {"activations ", parts.activations},
                                                               {"transposed ", parts.transposed},
                                                               {"waiting ", parts.waiting},
                                                               {"working ", parts.working},
                                                               {"workspace ", parts.workspace}}};
  std::string text;
  for (const auto& [name, bytes] : named)
    if (bytes > Bytes()) add_to_list(text, name + bytes_text(bytes));
  return text.empty() ? "nothing" : text;
}

}  // namespace spillway
