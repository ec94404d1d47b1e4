// Loads a list of images from a text (packed by gzip or not), from a folder of images and archives, or from a
// tar or zip archive of images (WebDataset). Only headers of images are read. Only regular files are opened,
// and links in folders and archives are not followed. Private to src/input.
#pragma once

#include <string>

#include "json/file_memory.h"

namespace spillway {

// Returns the text, or a table width,height,count of a folder's or archive's images. Refuses by name formats
// that no packaged library reads. A remark counts the files of a folder or archive that are not read.
FileText load_image_list(const std::string& path);

}  // namespace spillway
