// The free functions of a source as clang-format lays it out, for the house tests: namespaces and their
// members begin at the beginning of a line.
#pragma once

#include <algorithm>
#include <cstddef>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace spillway::testing {

struct Function {
  std::string file;
  // The namespaces: "namespace spillway { namespace { ". One that the file opens by `using namespace` is left
  // out, since a call finds its names beside those around it.
  std::string around;
  std::string name;
  std::size_t least;  // fewest arguments of a call
  std::size_t most;
};

inline constexpr std::string_view kUnnamed = "namespace { ";

inline bool is_local(const Function& function) {
  return function.around.ends_with(kUnnamed);
}

// Returns whether both can be called by one name with the same number of arguments.
inline bool overload(const Function& a, const Function& b) {
  return a.name == b.name && a.least <= b.most && b.least <= a.most;
}

// Returns the fewest and the most arguments, from `text`: the parameters up to the bracket that closes them.
inline std::pair<std::size_t, std::size_t> arguments(const std::string& text) {
  std::size_t depth = 1, parameters = text.starts_with(')') ? 0 : 1, defaults = 0, packs = 0;
  for (const char c : text) {
    if (std::string("([{<").find(c) != std::string::npos) ++depth;
    if (std::string(")]}>").find(c) != std::string::npos && --depth == 0) break;
    if (depth == 1 && c == ',') ++parameters;
    if (depth == 1 && c == '=') ++defaults;
    if (depth == 1 && c == '.') packs = 1;
  }
  return {parameters - defaults - packs, packs ? 99 : parameters};
}

inline std::vector<Function> functions_of(const std::string& text, const std::string& file) {
  static const std::regex begins(
      R"(\n(namespace.*|\}  // namespace.*|[A-Za-z_\[][\w:<>,&*\[\] ]*[ &*](\w+)\())");
  static const std::regex opens(R"(\busing (namespace \w+);)");
  std::set<std::string> opened;
  for (std::sregex_iterator found(text.begin(), text.end(), opens), end; found != end; ++found)
    opened.insert((*found)[1].str() + " {");
  std::vector<Function> functions;
  std::vector<std::string> spaces;
  for (std::sregex_iterator found(text.begin(), text.end(), begins), end; found != end; ++found) {
    const std::smatch& line = *found;
    if (line[2].matched) {
      std::string around;
      for (const std::string& space : spaces)
        if (!opened.contains(space)) around += space + ' ';
      const auto [least, most] = arguments(line.suffix());
      functions.push_back({file, around, line[2], least, most});
    } else if (line[1].str().starts_with('}')) {
      spaces.pop_back();
    } else if (line[1].str().ends_with('{')) {
      spaces.push_back(line[1]);
    }
  }
  return functions;
}

}  // namespace spillway::testing
