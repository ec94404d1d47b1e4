// The facts about shipped frameworks, against the shipped files.
#include "launch/write/software.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "input/platform/framework_reader.h"

namespace spillway {
namespace {

std::string frameworks_folder() {
  return std::string(SPILLWAY_SOURCE_DIR) + "/platforms/frameworks";
}

// A new file without a row would never be offered.
TEST(ShippedSoftware, IsEveryShippedFrameworkByItsName) {
  std::set<std::string> files, rows;
  for (const auto& entry : std::filesystem::directory_iterator(frameworks_folder()))
    files.insert(entry.path().stem());
  for (const ShippedSoftware& one : shipped_software()) {
    rows.insert(std::string(one.shipped));
    const std::string path = frameworks_folder() + '/' + std::string(one.shipped) + ".json";
    EXPECT_EQ(read_framework(path, {}, Files()).name, one.name);
    EXPECT_EQ(software_named(one.name), &one);
  }
  EXPECT_EQ(rows, files);
  EXPECT_EQ(rows.size(), shipped_software().size());
  EXPECT_EQ(software_named("nobody's"), nullptr);
}

// Encoders need a way with images if ranks have several devices.
TEST(ShippedSoftware, SaysHowEncodersTreatImages) {
  for (const ShippedSoftware& one : shipped_software()) {
    const bool encodes =
        one.encoders.meets(TrainedEncoder::WholeImages) || one.encoders.meets(TrainedEncoder::Tiles);
    EXPECT_EQ(one.images.has_value(), encodes && one.splits) << one.shipped;
  }
}

}  // namespace
}  // namespace spillway
