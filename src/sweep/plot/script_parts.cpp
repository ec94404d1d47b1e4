#include "sweep/plot/script_parts.h"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <numeric>

#include "base/text.h"

namespace spillway {
namespace {

// Shortens long fractions.
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

// In single quotes only the quote itself is special. But a quote at the beginning, even a doubled one, ends
// the text (gnuplot 5.4). So a text with quotes stands in double quotes, with special characters as octal
// numbers.
std::string gnuplot_text(const std::string& text) {
  const char quote = text.find('\'') == std::string::npos ? '\'' : '"';
  std::string quoted(1, quote);
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < ' ')
      quoted += ' ';
    else if (quote == '"' && std::ispunct(byte))
      quoted += fmt::format("\\{:03o}", byte);
    else
      quoted += c;
  }
  return quoted + quote;
}

std::string gnuplot_tic(const std::string& text) {
  std::string doubled;
  for (char c : text) doubled += c == '%' ? "%%" : std::string(1, c);
  return gnuplot_text(doubled);
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

int point_type(std::size_t group) {
  constexpr std::array shapes = {7, 5, 9, 13, 11, 15};
  return shapes[group % shapes.size()];
}

TicTexts texts_of_x(const PictureAxis& x, PictureSize size) {
  if (!x.numbers.empty()) return TicTexts::SideBySide;
  const double all = std::accumulate(
      x.values.begin(), x.values.end(), 0.0,
      [](double sum, const std::string& value) { return sum + text_width(value.size() + 2); });
  return all > plot_width(size) ? TicTexts::Aslant : TicTexts::SideBySide;
}

std::string axis_script(char name, const PictureAxis& axis, const AxisScale& scale, double pixels,
                        TicTexts texts) {
  constexpr const char* script = R"(set {name}label {label}
set {name}range [{low}:{high}]
{logarithmic}set {name}tics ({tics})
{slant})";
  std::string tics;
  for (std::size_t i : scale.written(pixels, extents_of(axis, texts != TicTexts::SideBySide)))
    add_to_list(tics, fmt::format("{} {}", gnuplot_tic(tic_text(axis, i)), scale.positions()[i]));
  using fmt::arg;
  return fmt::format(script, arg("name", name), arg("label", gnuplot_text(axis.label)),
                     arg("low", scale.low()), arg("high", scale.high()), arg("tics", tics),
                     arg("logarithmic", scale.is_logarithmic() ? fmt::format("set logscale {}\n", name) : ""),
                     arg("slant", texts == TicTexts::Aslant ? "set xtics rotate by 30 right\n" : ""));
}

}  // namespace spillway
