// Image sizes from a text: a table with a header line, or JSON. Private to src/input.
//
//   CSV, TSV    columns of width and height by name, in any order and case, among others; separators , ; tab
//   |
//               and quotes; a column of counts if there is one. Each row is an image, or `count` of them, or,
//               where a column names the images, one that an earlier row has.
//   JSON lines  an object a line, with width and height
//   JSON        a list of such objects, or an object that has one as its "images" (COCO)
#pragma once

#include <string_view>

#include "base/findings.h"
#include "input/images/image_rows.h"
#include "workload/images.h"

namespace spillway {

// Every bad row is a finding; none is left where something is found.
ImageList read_image_table(std::string_view text, const ResizeRule& rule, Findings& findings);

}  // namespace spillway
