// A browser has no folder with shipped files: a name is the path that it is.
#include <utility>

#include "spec/json/shipped_files.h"

namespace spillway {

std::string shipped_or(const std::string& path, std::string_view) {
  return path;
}

Source shipped_source(Source source, std::string_view) {
  return source;
}

}  // namespace spillway
