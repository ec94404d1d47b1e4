// Reads image sizes from a text: a table with a header line, or JSON (image_json.h). Private to src/input.
//
//   CSV, TSV    columns of width and height by name, in any order and case, among others. Separators are
//               , ; tab |, and quotes are allowed. A column of counts is optional. A row is one image, or
//               `count` images. If a column names images, a row may repeat an image of an earlier row, and a
//               row without a name and sizes is a sample of text.
#pragma once

#include <string_view>

#include "base/findings.h"
#include "input/images/image_rows.h"
#include "workload/images.h"

namespace spillway {

// Every bad row is a finding. The list is empty if there are findings.
ImageList read_image_table(std::string_view text, const ResizeRule& rule, Findings& findings);

}  // namespace spillway
