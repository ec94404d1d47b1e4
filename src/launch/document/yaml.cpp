// Test: tests/launch/document_test.cpp.
#include <yaml-cpp/yaml.h>

#include "json/document.h"
#include "launch/document/settings.h"

namespace spillway {
namespace {

class YamlReader {
 public:
  YamlReader(const std::string& file, Findings& findings) : file_(file), findings_(findings) {}

  std::vector<LaunchArgument> run(const std::string& text) {
    try {
      const YAML::Node node = YAML::Load(text);
      if (node.IsMap())
        add(node, "", 0);
      else
        findings_.add(place(node), "a mapping of keys to values", node.IsNull() ? "nothing" : "no mapping");
    } catch (const YAML::Exception& error) {
      findings_.add(place(error.mark), "YAML", error.msg);
    }
    return std::move(settings_);
  }

 private:
  std::string place(const YAML::Mark& mark) const {
    return (file_.empty() ? "" : file_ + ", ") + "line " + std::to_string(mark.line + 1);
  }
  std::string place(const YAML::Node& node) const { return place(node.Mark()); }

  void add(const YAML::Node& map, const std::string& name, std::size_t depth) {
    for (const auto& each : map) {
      if (told_) return;
      if (!each.first.IsScalar()) {
        findings_.add(place(each.first), "a text as a key", "a list or a mapping");
        continue;
      }
      const std::string& key = each.first.Scalar();
      const auto line = static_cast<std::size_t>(each.first.Mark().line + 1);
      add_node(each.second, name.empty() ? key : name + '.' + key, line, depth + 1);
    }
  }

  // Anchors may repeat a part as often as they like: nodes are counted, not settings alone.
  void add_node(const YAML::Node& node, const std::string& name, std::size_t line, std::size_t depth) {
    if (depth > kDeepest || ++nodes_ > kMostSettings) return too_large();
    if (node.IsMap()) return add(node, name, depth);
    LaunchArgument setting{name, {}, line, file_};
    if (node.IsScalar()) setting.values.push_back({node.Scalar(), line});
    std::size_t number = 0;
    for (std::size_t i = 0; node.IsSequence() && i < node.size() && !told_; ++i, ++number) {
      if (node[i].IsScalar() && ++nodes_ <= kMostSettings)
        setting.values.push_back({node[i].Scalar(), static_cast<std::size_t>(node[i].Mark().line + 1)});
      else
        add_node(node[i], name + '.' + std::to_string(i), line, depth + 1);
    }
    if (number == 0 || !setting.values.empty()) settings_.push_back(std::move(setting));
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
  std::size_t nodes_ = 0;
  bool told_ = false;
};

}  // namespace

std::vector<LaunchArgument> read_yaml(const std::string& text, const std::string& file, Findings& findings) {
  std::vector<LaunchArgument> settings = YamlReader(file, findings).run(text);
  refuse_marks(settings, findings);
  return settings;
}

}  // namespace spillway
