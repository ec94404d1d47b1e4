// Test: tests/launch/document_test.cpp.
#include <algorithm>
#include <sstream>

// Compiled with this file alone, so that the program needs no library of it.
#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

#include "json/document.h"
#include "launch/document/settings.h"

namespace spillway {
namespace {

class TomlReader {
 public:
  TomlReader(const std::string& file, Findings& findings) : file_(file), findings_(findings) {}

  std::vector<LaunchArgument> run(std::string_view text) {
    try {
      const toml::table table = toml::parse(text);
      add(table, "", 0);
    } catch (const toml::parse_error& error) {
      findings_.add(place(error.source().begin.line), "TOML", std::string(error.description()));
    }
    return std::move(settings_);
  }

 private:
  std::string place(std::size_t line) const {
    return (file_.empty() ? "" : file_ + ", ") + "line " + std::to_string(line);
  }

  void add(const toml::table& table, const std::string& name, std::size_t depth) {
    for (const auto& [key, node] : table) {
      const std::string inner(key.str());
      add_node(node, name.empty() ? inner : name + '.' + inner, depth + 1);
    }
  }

  void add_node(const toml::node& node, const std::string& name, std::size_t depth) {
    if (depth > kDeepest || settings_.size() >= kMostSettings) return too_large();
    if (const toml::table* table = node.as_table()) return add(*table, name, depth);
    const toml::array* list = node.as_array();
    const std::size_t line = node.source().begin.line;
    LaunchArgument setting{name, {}, line, file_};
    if (!list) {
      setting.values.push_back({text_of(node), line});
    } else {
      std::size_t number = 0;
      for (const toml::node& element : *list) {
        if (element.is_value())
          setting.values.push_back({text_of(element), element.source().begin.line});
        else
          add_node(element, name + '.' + std::to_string(number), depth + 1);
        ++number;
      }
      if (setting.values.empty() && number > 0) return;
    }
    settings_.push_back(std::move(setting));
  }

  static std::string text_of(const toml::node& node) {
    if (const auto* text = node.as_string()) return text->get();
    if (const auto* whole = node.as_integer()) return std::to_string(whole->get());
    std::ostringstream text;
    node.visit([&](const auto& value) {
      if constexpr (toml::is_value<decltype(value)>) text << value;
    });
    return text.str();
  }

  void too_large() {
    if (!told_)
      findings_.add(file_.empty() ? "/" : file_,
                    "at most " + std::to_string(kMostSettings) + " settings, " + std::to_string(kDeepest) +
                        " levels deep",
                    "more");
    told_ = true;
  }

  const std::string& file_;
  Findings& findings_;
  std::vector<LaunchArgument> settings_ = {};
  bool told_ = false;
};

}  // namespace

std::vector<LaunchArgument> read_toml(std::string_view text, const std::string& file, Findings& findings) {
  std::vector<LaunchArgument> settings = TomlReader(file, findings).run(text);
  // toml++ sorts keys; the file's order is that of lines.
  std::ranges::stable_sort(settings, {}, &LaunchArgument::line);
  refuse_marks(settings, findings);
  return settings;
}

}  // namespace spillway
