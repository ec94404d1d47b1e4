// Collects the files of a folder or an archive: sizes of images, and counts of unread files by kind. Private
// to src/input.
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
  // `more` returns up to that many further bytes of the file; `place` is as in Findings. A file that is named
  // like an image but has no known format is added to `findings`.
  using Read = std::function<std::string(std::size_t most)>;
  void add(const std::string& place, std::string head, const Read& more, Findings& findings);

  // Counts one more entry that is not opened, such as a "link".
  void pass_over(const std::string& kind) { ++not_read_[kind]; }

  // Counts one more member of an archive that is joined to the end of another.
  void count_behind_end() { ++behind_ends_; }

  // Returns a table width,height,count; empty if there is no image.
  std::string table() const;
  // Returns, for example, "not read: 10 TIFF files, 2 .txt files, 1 link"; empty if everything was read.
  std::string remark() const;
  // Returns what joined archives have, which are read as one; empty if there are none.
  std::string joined_remark() const;

 private:
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> counts_ = {};
  std::map<std::string, std::uint64_t> not_read_ = {};  // by kind, in the singular
  std::uint64_t behind_ends_ = 0;
};

}  // namespace spillway
