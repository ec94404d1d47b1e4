// Image sizes from a text: a table with a header line, or JSON. Private to src/spec.
//
//   CSV, TSV    columns of width and height by name, in any order and case, among others; separators , ; tab
//   |
//               and quotes; a column of counts if there is one. Each row is an image, or `count` of them.
//   JSON lines  an object a line, with width and height
//   JSON        a list of such objects, or an object that has one as its "images" (COCO)
#pragma once

#include <string_view>
#include <vector>

#include "base/findings.h"
#include "workload/images.h"

namespace spillway {

// Sides beyond this are no image: twice the largest a JPEG can be.
inline constexpr std::uint32_t kLongestSide = 131'070;

// Every bad row is a finding; none is left where something is found.
std::vector<SizeCount> read_image_table(std::string_view text, const ResizeRule& rule, Findings& findings);

}  // namespace spillway
