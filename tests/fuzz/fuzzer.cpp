// libFuzzer's entry point: it passes the bytes to the one target of this program.
#include <cstddef>
#include <cstdint>

#include "target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using spillway::testing::Target;
  Target::all().front()->take({reinterpret_cast<const char*>(data), size});
  return 0;
}
