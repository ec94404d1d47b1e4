// Folders of images: what is not read is counted, and what is no list is refused.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "input/experiment/trace.h"
#include "listed_images.h"
#include "pictures.h"
#include "written.h"

namespace spillway {
namespace {

namespace fs = std::filesystem;
using testing::Format;

TEST(ImageFolders, LinksToThemselvesAreNotFollowed) {
  const fs::path folder = folder_of_this_test() + "/loop";
  fs::create_directories(folder);
  std::ofstream(folder / "a.png", std::ios::binary) << testing::picture(Format::Png, 64, 48);
  if (!fs::exists(folder / "again")) fs::create_directory_symlink(".", folder / "again");
  EXPECT_EQ(list_of(folder.string()), "width,height,count\n64,48,1\nnot read: 1 link\n");
}

TEST(ImageFolders, APipeIsNoList) {
  const std::string path = folder_of_this_test() + "/pipe.csv";
  fs::remove(path);
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(
      complaints([&] { read_image_trace(path, ResizeRule{}); }),
      Lines{
          "/pipe.csv: /: expected a plain file, since it is read more than once, found a pipe or a device"});
}

TEST(ImageFolders, FilesThatAreNotReadAreCountedByKind) {
  const fs::path folder = folder_of_this_test() + "/kinds";
  fs::create_directories(folder);
  const auto add = [&](const std::string& name, const std::string& bytes) {
    std::ofstream(folder / name, std::ios::binary) << bytes;
  };
  add("a.png", testing::picture(Format::Png, 64, 48));
  add("b.jpg", std::string("\0\0\0\x18"
                           "ftypavif",
                           12));
  add("c.jpg", std::string("\0\0\0\x18"
                           "ftypheic",
                           12));
  add("d.jxl", "\xff\x0a.");
  add("e.jp2", std::string("\0\0\0\x0cjP  ", 8));
  add("f.mp4", std::string("\0\0\0\x18"
                           "ftypisom",
                           12));
  add("README", "none");
  add("g.parquet", "PAR1");
  add("h.dng", testing::tiff_file(160, 120, {.subfile = 1}));
  EXPECT_EQ(
      list_of(folder.string()),
      "width,height,count\n64,48,1\nnot read: 1 .dng file, 1 .mp4 file, 1 AVIF file, 1 HEIF file, 1 JPEG "
      "2000 file, 1 JPEG XL file, 1 Parquet file, 1 other file\n");
  for (char kind = 'a'; kind < 'z'; ++kind) add(std::string("x.") + kind + "x", "none");
  EXPECT_TRUE(list_of(folder.string()).ends_with("26 other files\n")) << list_of(folder.string());
}

}  // namespace
}  // namespace spillway
