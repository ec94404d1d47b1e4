#include "launch/document/settings.h"

#include <algorithm>

#include "base/text.h"

namespace spillway {

void refuse_marks(std::vector<LaunchArgument>& settings, Findings& findings) {
  const auto has_mark = [](const std::string& text) {
    return text.find_first_of("\x01\x02\x03\x04") != std::string::npos;
  };
  std::erase_if(settings, [&](const LaunchArgument& setting) {
    const bool marked =
        has_mark(setting.name) ||
        std::ranges::any_of(setting.values, [&](const ScriptWord& value) { return has_mark(value.text); });
    if (marked)
      findings.add((setting.file.empty() ? "" : setting.file + ", ") + "line " + std::to_string(setting.line),
                   "text without control characters", "one of them");
    return marked;
  });
}

std::vector<LaunchArgument> as_settings(std::vector<LaunchArgument> arguments) {
  for (LaunchArgument& argument : arguments) {
    if (argument.name.starts_with("--")) argument.name.erase(0, 2);
    std::ranges::replace(argument.name, '-', '_');
  }
  return arguments;
}

std::vector<LaunchArgument> settings_given(const std::vector<std::string>& texts) {
  std::vector<LaunchArgument> settings;
  for (const std::string& text : texts) {
    const std::size_t end = text.find_first_of(" =");
    LaunchArgument setting{text.substr(0, end), {}, 0};
    const std::string rest = end == std::string::npos ? "" : text.substr(end + 1);
    for (const std::string_view value : split(rest, ' '))
      if (!value.empty()) setting.values.push_back({std::string(value), 0});
    settings.push_back(std::move(setting));
  }
  return as_settings(std::move(settings));
}

}  // namespace spillway
