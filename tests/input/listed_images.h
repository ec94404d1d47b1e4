// What a folder, an archive or a list of images is read as.
#pragma once

#include <string>

#include "input/images/image_list.h"

namespace spillway {

// Returns load_image_list's answer for a path: the table, or nothing if refused; then the remarks.
inline std::string list_of(const std::string& path) {
  const FileText list = load_image_list(path);
  std::string said = list.text.value_or("");
  for (const std::string& remark : list.remarks) said += remark + '\n';
  return said;
}

}  // namespace spillway
