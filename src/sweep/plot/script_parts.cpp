#include "sweep/plot/script_parts.h"

#include <fmt/format.h>

#include <numeric>

namespace spillway {
namespace {

// Long fractions say no more on a picture than short ones.
std::string tic_text(const PictureAxis& axis, std::size_t index) {
  constexpr std::size_t longest = 8;
  const std::string& value = axis.values[index];
  return axis.numbers.empty() || value.size() <= longest ? value : fmt::format("{:.4g}", axis.numbers[index]);
}

std::vector<double> extents_of(const PictureAxis& axis, bool by_height) {
  std::vector<double> extents;
  for (std::size_t i = 0; i < axis.values.size(); ++i)
    extents.push_back(by_height ? kTextHeight : text_width(tic_text(axis, i).size() + 1));
  return extents;
}

}  // namespace

// In single quotes nothing but the quote itself is special, and it is written twice.
std::string gnuplot_text(const std::string& text) {
  std::string quoted = "'";
  for (char c : text) {
    if (c == '\'') quoted += c;
    quoted += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return quoted + '\'';
}

std::string gnuplot_tic(const std::string& text) {
  std::string doubled;
  for (char c : text) doubled += c == '%' ? "%%" : std::string(1, c);
  return gnuplot_text(doubled);
}

std::string gnuplot_number(std::optional<double> number) {
  return number ? fmt::format("{}", *number) : "NaN";
}

double text_width(std::size_t characters) {
  return 7.0 * static_cast<double>(characters);
}

double plot_width(PictureSize size) {
  return 0.75 * size.width;
}

double plot_height(PictureSize size) {
  return 0.75 * size.height;
}

bool tics_slant(const PictureAxis& x, PictureSize size) {
  if (!x.numbers.empty()) return false;
  const double all = std::accumulate(
      x.values.begin(), x.values.end(), 0.0,
      [](double sum, const std::string& value) { return sum + text_width(value.size() + 2); });
  return all > plot_width(size);
}

std::string axis_script(char name, const PictureAxis& axis, const AxisScale& scale, double pixels,
                        bool by_height) {
  std::string tics;
  for (std::size_t i : scale.written(pixels, extents_of(axis, by_height)))
    tics += fmt::format("{}{} {}", tics.empty() ? "" : ", ", gnuplot_tic(tic_text(axis, i)),
                        scale.positions()[i]);
  return fmt::format("set {0}label {1}\nset {0}range [{2}:{3}]\n{4}set {0}tics ({5})\n", name,
                     gnuplot_text(axis.label), scale.low(), scale.high(),
                     scale.is_logarithmic() ? fmt::format("set logscale {}\n", name) : "", tics);
}

}  // namespace spillway
