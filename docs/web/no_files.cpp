// A browser has no files: a name of a shipped one is the path that it is, and no list of images is there.
#include <utility>

#include "input/images/image_list.h"
#include "json/shipped_files.h"

namespace spillway {

std::string shipped_or(const std::string& path, std::string_view) {
  return path;
}

Source shipped_source(Source source, std::string_view) {
  return source;
}

FileText load_image_list(const std::string& path) {
  return {std::nullopt,
          {{path, "", "durations that are given", "a list of images, which a browser cannot open"}}};
}

}  // namespace spillway
