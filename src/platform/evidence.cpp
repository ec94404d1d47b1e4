#include "platform/evidence.h"

namespace spillway {

const char* to_string(Evidence evidence) {
  constexpr const char* names[] = {"measured", "vendor", "derived", "fitted", "extrapolated", "assumed"};
  return names[static_cast<std::size_t>(evidence)];
}

}  // namespace spillway
