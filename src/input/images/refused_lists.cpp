#include "input/images/refused_lists.h"

#include <algorithm>
#include <array>

#include "base/printable.h"
#include "input/images/image_header.h"
#include "input/images/tiff_header.h"

namespace spillway {
namespace {

// Files that hold tables, and no library for them is in Debian or kept here.
struct RefusedFormat {
  std::string_view begins, found;
};
constexpr std::array<RefusedFormat, 9> kRefused = {
    {{"ARROW1", "an Arrow file, which is not read: write its width and height columns as CSV"},
     {"SQLite format 3", "a database: write its width and height columns as CSV"},
     {{"\x89HDF\r\n\x1a\n", 8}, "an HDF5 file, which is not read: write its width and height as CSV"},
     {"\x93NUMPY", "a NumPy array, which is not read: write its widths and heights as CSV"},
     {{"\x28\xb5\x2f\xfd", 4}, "a file packed by zstd: unpack it (zstd -d), or pack it by gzip"},
     {{"\xfd"
       "7zXZ",
       5},
      "a file packed by xz: unpack it (xz -d), or pack it by gzip"},
     {"BZh", "a file packed by bzip2: unpack it (bzip2 -d), or pack it by gzip"},
     {{"7z\xbc\xaf", 4}, "a 7-Zip archive: unpack it and give the folder"},
     {"Rar!", "a RAR archive: unpack it and give the folder"}}};

const Node* value_in(const Member& dataset, std::string_view key) {
  return member(&dataset.value, key);
}

// InternVL lists its datasets with the file of each, which has the sizes.
std::optional<std::string> datasets(const Object& document) {
  for (const Member& dataset : document)
    if (const Node* file = value_in(dataset, "annotation")) {
      const auto* path = std::get_if<std::string>(&file->value);
      if (path && (value_in(dataset, "root") || value_in(dataset, "media_root")))
        return "a list of datasets (a meta file of InternVL or XTuner): give the file that a dataset names "
               "as "
               "\"annotation\", such as " +
               in_quotes(*path);
    }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> refused_format(std::string_view text) {
  if (text.starts_with("PAR1"))
    return "a Parquet file, which no library that Debian packages can read: " +
           std::string(kInsteadOfParquet);
  for (const RefusedFormat& format : kRefused)
    if (text.starts_with(format.begins)) return std::string(format.found);
  if (is_tiff(text) || (text.find('\0') != std::string_view::npos && image_size(text)))
    return "one image: give the folder that contains it";
  return std::nullopt;
}

std::optional<std::string> refused_document(const Object& document) {
  if (find(document, "successes") && find(document, "failed_to_download"))
    return "statistics of img2dataset: give its .tar files or their folder";
  if (find(document, "features") && (find(document, "splits") || find(document, "dataset_size")))
    return "a description of a data set: give a list of its images, or their folder";
  return datasets(document);
}

}  // namespace spillway
