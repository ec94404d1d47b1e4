// A list of images from wherever it lies: a text (packed by gzip or not), a folder of images and archives, or
// a tar archive of images (WebDataset), of which headers alone are read. Regular files alone are opened, and
// no link in a folder or archive is followed. Private to src/input.
#pragma once

#include <string>

#include "json/file_memory.h"

namespace spillway {

// The text, or a table width,height,count of what the folder or archive holds. Formats that no packaged
// library reads are refused by name; a remark counts what of a folder or archive is not read.
FileText load_image_list(const std::string& path);

}  // namespace spillway
