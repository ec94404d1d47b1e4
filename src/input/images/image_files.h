// Collects the files of a folder or an archive: sizes of images, and counts of unread files by kind. Private
// to src/input.
//
// Files that follow each other and differ only from the first dot of their name on are one sample
// (WebDataset, img2dataset): 000.jpg, 000.json, 000.txt. If a sample's picture is of a format that is not
// read, such as 000.avif or 000.npy, the size that its .json states counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/findings.h"
#include "input/images/image_bytes.h"
#include "workload/images.h"

namespace spillway {

class ImageFiles {
 public:
  // Adds a file of which `head` has been read. `place` is as in Findings. A file that is named like an image
  // but has no known format is added to `findings`.
  void add(const std::string& place, std::string head, const ImageBytes& rest, Findings& findings);

  // Counts one more entry that is not opened, such as a "link".
  void pass_over(const std::string& kind) { ++not_read_[kind]; }

  // Counts one more member of an archive that is joined to the end of another.
  void count_behind_end() { ++behind_ends_; }

  // The files added between the two are members of one archive, whose samples may have no image.
  void begin_archive();
  void end_archive();

  // Returns a table width,height,count; empty if there is no image. Contract: take_last is called before.
  std::string table() const;
  // Returns what is odd, in sentences without a full stop; the first lists what is not read, for example "not
  // read: 10 HEIF files, 2 .txt files, 1 link".
  std::vector<std::string> remarks() const;

  // Ends the last sample.
  void take_last();

  bool has_parquet() const { return not_read_.contains("Parquet file"); }

 private:
  struct Sample {
    std::string key = {};
    bool has_image = false, has_pixels = false, has_text = false;
    std::optional<ImageSize> stated = {};
  };

  void begin(const std::string& place);
  bool add_tiff(const std::string& place, std::string_view head, const ImageBytes& rest, Findings& findings);
  void add_size(const std::string& place, ImageSize size, Findings& findings);
  void add_other(const std::string& place, std::string_view head);

  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> counts_ = {};
  std::map<std::string, std::uint64_t> not_read_ = {};  // by kind, in the singular
  std::uint64_t behind_ends_ = 0;
  std::uint64_t stated_ = 0;         // images whose size a .json states
  std::uint64_t many_pages_ = 0;     // TIFF files
  std::uint64_t texts_ = 0;          // samples of archives that have text and no image
  std::uint64_t texts_of_ones_ = 0;  // texts_ of the current archive
  std::uint64_t captioned_ = 0;      // samples of the current archive that have an image and text
  bool in_archive_ = false;
  Sample sample_ = {};
};

}  // namespace spillway
