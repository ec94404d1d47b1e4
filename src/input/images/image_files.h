// What the files of a folder or an archive are: sizes of images, and what is not read, counted by kind.
// Private to src/input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "base/findings.h"

namespace spillway {

class ImageFiles {
 public:
  // `more` gives up to so many bytes of the file from where it is; `place` as in Findings. A file that is
  // named like an image and is none that is known goes to `findings`.
  using Read = std::function<std::string(std::size_t most)>;
  void add(const std::string& place, std::string head, const Read& more, Findings& findings);

  // One more of what is not opened: "link".
  void pass_over(const std::string& kind) { ++not_read_[kind]; }

  // One more member of an archive that is joined to the end of another.
  void count_behind_end() { ++behind_ends_; }

  // A table width,height,count; empty where there is no image.
  std::string table() const;
  // "not read: 10 TIFF files, 2 .txt files, 1 link"; empty where all is read.
  std::string remark() const;
  // What joined archives have, which are read as one; empty where there is none.
  std::string joined_remark() const;

 private:
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> counts_ = {};
  std::map<std::string, std::uint64_t> not_read_ = {};  // by kind, in the singular
  std::uint64_t behind_ends_ = 0;
};

}  // namespace spillway
