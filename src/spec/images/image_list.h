// A list of images from wherever it lies: a text (packed by gzip or not), a folder of images, or a tar
// archive of them (WebDataset), of which headers alone are read. Private to src/spec.
#pragma once

#include <string>

#include "spec/json/file_memory.h"

namespace spillway {

// The text, or a table width,height,count of what the folder or archive holds. Formats that no packaged
// library reads are refused by name.
FileText load_image_list(const std::string& path);

}  // namespace spillway
