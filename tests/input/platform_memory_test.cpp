// A platform has the bytes that its device reports, and states the unit in which they were read.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <string>

#include "input/platform/platform_reader.h"

namespace spillway {
namespace {

namespace fs = std::filesystem;

const fs::path kPlatforms = fs::path(SPILLWAY_SOURCE_DIR) / "platforms";

Sourced<Bytes> memory_of(const fs::path& file) {
  return read_platform(file.string()).accelerator.memory;
}

// The source says "79.11 GiB, what ...": 84.94e9 bytes, as rounded there.
TEST(PlatformMemory, IsWhatItsSourceReadsInGibibytes) {
  std::size_t held = 0;
  for (const auto& file : fs::directory_iterator(kPlatforms)) {
    if (file.path().extension() != ".json" || file.path().stem() == "ideal") continue;
    const Sourced<Bytes> memory = memory_of(file.path());
    const std::size_t unit = memory.source.find(" GiB");
    ASSERT_NE(unit, std::string::npos) << file.path();
    const std::size_t begin = memory.source.find_last_not_of("0123456789.", unit - 1) + 1;
    const double gibibytes = std::stod(memory.source.substr(begin, unit - begin));
    EXPECT_NEAR(memory.value.value(), gibibytes * std::pow(2, 30), 0.0051e9) << file.path();
    ++held;
  }
  EXPECT_GE(held, 16u);
}

// Megatron-Bridge issue 4754 reports a job that had 82.6e9 bytes allocated on an H100 "of 80 GB".
TEST(PlatformMemory, OfAnH100IsMoreThanItsName) {
  EXPECT_GT(memory_of(kPlatforms / "hgx-h100.json").value, Bytes(83.6e9));
  EXPECT_LT(memory_of(kPlatforms / "hgx-h100.json").value, Bytes(81559.0 * (1 << 20)));
}

}  // namespace
}  // namespace spillway
