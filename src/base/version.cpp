#include "base/version.h"

namespace spillway {

const char* program_version() {
  return SPILLWAY_VERSION;
}

}  // namespace spillway
