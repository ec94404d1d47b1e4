#include "sweep/plot/dark_scheme.h"

#include <fmt/format.h>

#include <initializer_list>
#include <utility>
#include <vector>

#include "sweep/plot/colours.h"
#include "words/colour_list.h"
#include "words/dark_colour_list.h"

namespace spillway {
namespace {

struct SchemeColour {
  Colour light, dark;
};

std::vector<SchemeColour> scheme_colours(std::size_t ordered) {
  std::vector<SchemeColour> all;
  for (const auto& [light, dark] : std::initializer_list<std::pair<std::uint32_t, std::uint32_t>>{
           {colours::kGround, colours::kDarkGround},
           {colours::kLine, colours::kDarkLine},
           {colours::kMuted, colours::kDarkMuted},
           {colours::kInk, colours::kDarkInk},
           {colours::kUnknown, colours::kDarkUnknown},
           {colours::kSeries1, colours::kDarkSeries1},
           {colours::kSeries2, colours::kDarkSeries2},
           {colours::kSeries3, colours::kDarkSeries3},
           {colours::kSeries4, colours::kDarkSeries4},
           {colours::kSeries5, colours::kDarkSeries5}})
    all.push_back({colour(light), colour(dark)});
  const std::vector<Colour> along = line_colours(ordered, true);
  const std::vector<Colour> back = dark_line_colours(ordered);
  for (std::size_t i = 0; i < ordered; ++i) all.push_back({along[i], back[i]});
  return all;
}

// The forms in which gnuplot writes a colour.
std::vector<std::string> written(Colour c) {
  return {to_string(c), fmt::format("rgb({},{},{})", c.red, c.green, c.blue),
          fmt::format("rgb({:3d}, {:3d}, {:3d})", c.red, c.green, c.blue)};
}

// A rule for each attribute that has the value somewhere.
std::string rules(const std::string& svg, const std::string& value, const std::string& dark) {
  std::string text;
  for (const char* attribute : {"fill", "stroke", "color"})
    for (const char* form : {"{}=\"{}\"", "{}='{}'", "{} = '{}'"})
      if (svg.find(fmt::format(fmt::runtime(form), attribute, value)) != std::string::npos) {
        text += fmt::format(":not(polygon)[{0}=\"{1}\"]{{{0}:{2}}}\n", attribute, value, dark);
        break;
      }
  return text;
}

}  // namespace

std::string with_dark_scheme(const std::string& svg, std::size_t ordered) {
  std::string style = rules(svg, "black", to_string(colour(colours::kDarkInk)));
  for (const auto& [light, dark] : scheme_colours(ordered))
    for (const std::string& value : written(light)) style += rules(svg, value, to_string(dark));
  const std::size_t head = svg.find("<title>");
  if (head == std::string::npos) return svg;
  return svg.substr(0, head) + "<style>@media (prefers-color-scheme:dark){\n" + style + "}</style>\n" +
         svg.substr(head);
}

}  // namespace spillway
