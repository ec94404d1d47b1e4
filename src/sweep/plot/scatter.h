// A scatter plot with a colour for each group. A line joins the best points of all groups. gnuplot draws it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sweep/plot/query.h"
#include "sweep/plot/script.h"
#include "words/whole_file.h"

namespace spillway {

struct ScatterPoint {
  double x, y;
};

struct ScatterGroup {
  std::string name;
  std::vector<ScatterPoint> points;
};

// A point that no other point beats in both values; less is better.
struct BestPoint {
  ScatterPoint at;
  std::string text;  // its description, shown beside its number
};

struct Scatter {
  std::string title;
  std::string subtitle;
  std::string caption;
  std::string x_label;
  std::string y_label;
  std::vector<ScatterGroup> groups;
  std::string best_name;
  std::vector<BestPoint> best;  // by x, ascending
};

// Returns the indices of undominated points, ascending by x. A point is dominated if another is less in one
// value and not greater in the other. `points` may have any order.
std::vector<std::size_t> undominated(const std::vector<ScatterPoint>& points);

// Returns a script that contains its data and writes the picture to standard output. Equal pictures give
// equal bytes. Contract: there is a point.
std::string scatter_script(const Scatter& scatter, PictureFormat format, PictureSize size);

// Draws the picture into a file. Throws InputError if gnuplot is missing, or if the file cannot be written.
// Contract: picture_format(path) has a value.
void add_scatter(WholeFiles& files, const Scatter& scatter, const std::filesystem::path& path);

}  // namespace spillway
