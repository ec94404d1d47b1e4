// Colours have one meaning each and one place, src/words/colours.css. Colours that stand side by side can be
// told apart, also with each of the three kinds of colour blindness, simulated as in G. Machado et al., "A
// Physiologically-based Model for Simulation of Color Vision Deficiency" (2009), at full severity. Distances
// are those of OKLab (B. Ottosson, 2020), where 0.02 is about the least that eyes notice in fields side by
// side.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
using Vector = std::array<double, 3>;
using Matrix = std::array<Vector, 3>;
using ColourNames = std::vector<std::string>;
using Scheme = std::map<std::string, std::string>;  // a colour by its name

std::string content_of(const fs::path& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file.good()) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

Scheme scheme_in(const std::string& css) {
  static const std::regex entry("--([a-z0-9-]+): (#[0-9a-f]{6})[0-9a-f]{0,2};");
  Scheme scheme;
  for (std::sregex_iterator at(css.begin(), css.end(), entry), end; at != end; ++at)
    EXPECT_TRUE(scheme.emplace((*at)[1], (*at)[2]).second) << (*at)[1] << " stands twice in a scheme";
  return scheme;
}

const std::map<std::string, Scheme>& schemes() {
  static const std::map<std::string, Scheme> both = [] {
    const std::string css = content_of(fs::path(SPILLWAY_SOURCE_DIR) / "src/words/colours.css");
    const std::size_t dark = css.find("@media");
    return std::map<std::string, Scheme>{{"light", scheme_in(css.substr(0, dark))},
                                         {"dark", scheme_in(css.substr(dark))}};
  }();
  return both;
}

Vector times(const Matrix& matrix, const Vector& v) {
  Vector product{};
  for (std::size_t row = 0; row < 3; ++row)
    for (std::size_t i = 0; i < 3; ++i) product[row] += matrix[row][i] * v[i];
  return product;
}

// Returns red, green and blue as light, from 0 to 1 (IEC 61966-2-1).
Vector linear(const std::string& hex) {
  Vector light{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double value = std::stoi(hex.substr(1 + 2 * i, 2), nullptr, 16) / 255.0;
    light[i] = value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
  }
  return light;
}

Vector oklab(const Vector& light) {
  constexpr Matrix cones = {{{0.4122214708, 0.5363325363, 0.0514459929},
                             {0.2119034982, 0.6806995451, 0.1073969566},
                             {0.0883024619, 0.2817188376, 0.6299787005}}};
  constexpr Matrix lab = {{{0.2104542553, 0.7936177850, -0.0040720468},
                           {1.9779984951, -2.4285922050, 0.4505937099},
                           {0.0259040371, 0.7827717662, -0.8086757660}}};
  Vector seen = times(cones, light);
  for (double& cone : seen) cone = std::cbrt(std::max(0.0, cone));
  return times(lab, seen);
}

const std::map<std::string, Matrix> kEyes = {
    {"all cones", {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}},
    {"no red cones",
     {{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}}},
    {"no green cones",
     {{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}}},
    {"no blue cones",
     {{{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}}}};

double colour_distance(const std::string& a, const std::string& b, const Matrix& eyes) {
  const Vector one = oklab(times(eyes, linear(a))), other = oklab(times(eyes, linear(b)));
  return std::hypot(one[0] - other[0], one[1] - other[1], one[2] - other[2]);
}

double contrast(const std::string& a, const std::string& b) {
  const auto luminance = [](const std::string& hex) {
    const Vector light = linear(hex);
    return 0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2] + 0.05;
  };
  const double one = luminance(a), other = luminance(b);
  return std::max(one, other) / std::min(one, other);
}

void expect_told_apart(const ColourNames& names, double least, const std::set<std::string>& not_for = {}) {
  for (const auto& [scheme, colours] : schemes())
    for (const auto& [eyes, matrix] : kEyes) {
      if (not_for.contains(eyes)) continue;
      for (std::size_t i = 0; i < names.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
          EXPECT_GT(colour_distance(colours.at(names[i]), colours.at(names[j]), matrix), least)
              << names[i] << " and " << names[j] << ", " << scheme << ", " << eyes;
    }
}

ColourNames starting(const std::string& word) {
  ColourNames names;
  for (const auto& [name, colour] : schemes().at("light"))
    if (name.starts_with(word)) names.push_back(name);
  return names;
}

TEST(Colours, HaveOneMeaningEach) {
  for (const auto& [scheme, colours] : schemes()) {
    EXPECT_GT(colours.size(), 35u);
    std::map<std::string, std::string> meaning;
    for (const auto& [name, colour] : colours) {
      if (name == "halo" || name == "shadow") continue;  // see-through
      EXPECT_TRUE(meaning.emplace(colour, name).second)
          << scheme << ": " << name << " is " << meaning.at(colour);
    }
  }
}

TEST(Colours, AreThoseOfBothSchemes) {
  EXPECT_TRUE(std::ranges::equal(schemes().at("light"), schemes().at("dark"), {}, &Scheme::value_type::first,
                                 &Scheme::value_type::first));
}

TEST(Colours, OfOneChartCanBeToldApart) {
  expect_told_apart({"encoder-forward", "encoder-backward", "forward", "backward", "weight-gradient",
                     "forward-and-backward-together", "transfer", "idle"},
                    0.065);
  expect_told_apart({"reduce", "transfer", "broadcast", "bookkeeping", "ground"}, 0.09);
  expect_told_apart({"encoder-forward", "encoder-backward", "forward", "later-forward", "backward",
                     "later-backward", "weight-gradient", "later-weight-gradient"},
                    0.055, {"no blue cones"});
  expect_told_apart({"computing", "transfer", "reduce"}, 0.09);
  expect_told_apart({"encoder-forward", "bad"}, 0.055);
  ColourNames memory = starting("memory-"), series = starting("series-");
  for (ColourNames* names : {&memory, &series}) names->push_back("ground");
  expect_told_apart(memory, 0.1);
  expect_told_apart(series, 0.07);
  expect_told_apart(starting("evidence-"), 0.09);
}

TEST(Colours, CarryTextThatCanBeRead) {
  for (const auto& [scheme, colours] : schemes()) {
    const auto expect_legible = [&](const std::string& text, const std::string& on) {
      EXPECT_GT(contrast(colours.at(text), colours.at(on)), 4) << text << " on " << on << ", " << scheme;
    };
    for (const char* text : {"ink", "muted", "bad"}) expect_legible(text, "ground");
    for (const char* event : {"encoder-forward", "encoder-backward", "backward", "weight-gradient",
                              "forward-and-backward-together"})
      expect_legible("on-event", event);
    for (const char* event : {"forward", "transfer"}) expect_legible("on-" + std::string(event), event);
    for (const std::string& event : starting("later-")) expect_legible("on-later", event);
  }
}

bool is_name_of_a_colour(const std::string& line, std::size_t at) {
  if (at > 0 && line[at - 1] == '&') return false;  // a character by its number
  std::size_t end = at + 1;
  while (end < line.size() && std::isxdigit(static_cast<unsigned char>(line[end]))) ++end;
  const bool ends = end == line.size() || !(std::isalnum(static_cast<unsigned char>(line[end])) ||
                                            line[end] == '_' || line[end] == '-');
  return ends && std::set<std::size_t>{3, 4, 6, 8}.contains(end - at - 1);
}

// Returns whether a line has a colour such as #e69f00, 0xe69f00 in a list of them, or rgb(230 ...).
bool names_a_colour(const std::string& line) {
  static const std::regex function(R"((rgb|hsl|oklch)a?\(\s*[0-9.])"), number(R"(\b0x[0-9a-f]{6}\b)");
  for (std::size_t at = line.find('#'); at != std::string::npos; at = line.find('#', at + 1))
    if (is_name_of_a_colour(line, at)) return true;
  return std::regex_search(line, function) || std::regex_search(line, number);
}

bool draws(const fs::path& path) {
  static const std::set<std::string> endings = {".js", ".css", ".html", ".awk", ".py", ".sh"};
  const std::string name = path.lexically_relative(SPILLWAY_SOURCE_DIR).generic_string();
  if (name == "src/words/colours.css") return false;
  const bool in_cpp = name.starts_with("src/sweep/plot/") || name.starts_with("src/report/");
  return endings.contains(path.extension()) ||
         (in_cpp && (path.extension() == ".cpp" || path.extension() == ".h"));
}

TEST(Colours, AreNamedNowhereElse) {
  std::size_t files = 0;
  for (const char* top : {"src", "docs"})
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(SPILLWAY_SOURCE_DIR) / top)) {
      if (!entry.is_regular_file() || !draws(entry.path())) continue;
      ++files;
      std::ifstream file(entry.path());
      for (std::string line; std::getline(file, line);)
        EXPECT_FALSE(names_a_colour(line)) << entry.path() << ": " << line;
    }
  EXPECT_GT(files, 150u);
}

// A name that is not there would be drawn black, or not at all.
TEST(Colours, OfPagesAreThere) {
  static const std::regex used(R"(var\(--([a-z0-9-]+)\))");
  std::size_t uses = 0;
  for (const char* top : {"src/report/page/web", "docs"})
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(SPILLWAY_SOURCE_DIR) / top)) {
      if (!entry.is_regular_file() || !draws(entry.path())) continue;
      const std::string text = content_of(entry.path());
      for (std::sregex_iterator at(text.begin(), text.end(), used), end; at != end; ++at, ++uses)
        EXPECT_TRUE(schemes().at("light").contains((*at)[1])) << (*at)[1] << " in " << entry.path();
    }
  EXPECT_GT(uses, 80u);
}

TEST(Colours, AreFoundInALine) {
  for (const char* line : {"fill: #e69f00;", "box-shadow: 0 0 #0003", "rgb '#606060'", "{0x440154, 0x482878}",
                           "rgb(18, 21, 25)"})
    EXPECT_TRUE(names_a_colour(line)) << line;
  for (const char* line : {"url(#h)", "#include \"a.h\"", "document.querySelector(\"#bubble\")",
                           "var(--forward)", "0xffffffff", "\"rgb(r, g, b)\"", "# added", "&#8217;"})
    EXPECT_FALSE(names_a_colour(line)) << line;
}

// The pictures of docs/ follow the reader's scheme.
TEST(Colours, OfPicturesAreThoseOfBothSchemes) {
  std::size_t pictures = 0;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(SPILLWAY_SOURCE_DIR) / "docs/pictures")) {
    if (entry.path().extension() != ".svg") continue;
    ++pictures;
    const std::string picture = content_of(entry.path());
    const std::size_t dark = picture.find("@media (prefers-color-scheme:dark)");
    ASSERT_NE(dark, std::string::npos) << entry.path();
    for (const char* name : {"ground", "ink"}) {
      EXPECT_LT(picture.find(schemes().at("light").at(name)), dark) << entry.path() << ": " << name;
      EXPECT_NE(picture.find(schemes().at("dark").at(name), dark), std::string::npos) << entry.path() << ": " << name;
    }
    EXPECT_FALSE(names_a_colour(picture.substr(picture.find("</style>")))) << entry.path();
  }
  EXPECT_GT(pictures, 25u);
}

}  // namespace
