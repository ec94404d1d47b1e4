// Points in the plane, a colour for each group of them, the best of all joined by a line. Drawn by gnuplot.
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

// One that none is better than in both, less being better.
struct BestPoint {
  ScatterPoint at;
  std::string text;  // what it is, beside its number
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

// Of `points`, in any order, the places of those that no other undercuts in one and does not exceed in the
// other; by x, ascending.
std::vector<std::size_t> undominated(const std::vector<ScatterPoint>& points);

// A script that holds its data and writes the picture to standard output. Same picture, same bytes. Contract:
// there is a point.
std::string scatter_script(const Scatter& scatter, PictureFormat format, PictureSize size);

// Draws it into a file. Throws InputError where there is no gnuplot, and where the file cannot be written.
// Contract: picture_format(path) has a value.
void add_scatter(WholeFiles& files, const Scatter& scatter, const std::filesystem::path& path);

}  // namespace spillway
