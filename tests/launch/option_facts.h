// Whether a launch has only options of its framework, with values of their types (tests/launch/options: names
// and types as facts, with repository and commit).
#pragma once

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <vector>

#include "json/text_file.h"
#include "launch/document/settings.h"
#include "written_launch.h"

namespace spillway {

inline const std::string kOptions = SPILLWAY_SOURCE_DIR "/tests/launch/options/";

inline Node option_facts(std::string_view framework) {
  Findings findings;
  const auto text = read_file(kOptions + std::string(framework) + ".json", findings);
  EXPECT_TRUE(text) << framework;
  return parsed_document(text.value_or("{}"));
}

inline bool is_number(const std::string& text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}
inline bool is_whole(const std::string& text) {
  return is_number(text) && text.find_first_of(".e") == std::string::npos;
}

inline bool has_type(const std::string& type, const std::vector<ScriptWord>& values) {
  if (type == "flag")
    return values.empty() || values.front().text == "true" || values.front().text == "false";
  if (type == "str list") return !values.empty();
  if (type == "int or null" && values.size() == 1 && values.front().text == "null") return true;
  if (values.size() != 1) return false;
  if (type == "int" || type == "int or null") return is_whole(values.front().text);
  return type == "str" || (type == "float" && is_number(values.front().text));
}

// "" if the framework has the option and takes these values.
inline std::string objection(const Node& facts, const LaunchArgument& option) {
  const Node* type = member(member(&facts, "options"), option.name);
  if (!type) return option.name + " is none of its options";
  if (const auto* word = std::get_if<std::string>(&type->value))
    return has_type(*word, option.values) ? "" : option.name + " has no value of type " + *word;
  for (std::size_t i = 0; element(type, i); ++i)
    if (option.values.size() == 1 &&
        std::get<std::string>(element(type, i)->value) == option.values.front().text)
      return "";
  return option.name + " does not take its value";
}

// "KEY=VALUE" among the words of a script's training, without the quotes of Hydra.
inline std::vector<LaunchArgument> overrides_in(const LaunchCommand& command) {
  std::vector<LaunchArgument> all;
  for (const LaunchArgument& argument : command.arguments)
    for (const ScriptWord& word : argument.values) {
      const std::size_t equals = word.text.find('=');
      if (equals == std::string::npos) continue;
      all.push_back({word.text.substr(0, equals), {{word.text.substr(equals + 1), 0}}, 0});
    }
  return all;
}

// Options of the program in a script, or settings of a configuration.
inline std::vector<LaunchArgument> options_in(const std::string& framework, const LaunchFile& file) {
  Findings findings;
  if (file.name.ends_with(".toml")) return read_toml(file.text, file.name, findings);
  if (!file.name.ends_with(".sh")) return read_yaml(file.text, file.name, findings);
  const ScriptReading script = read_script(file.text, {}, findings);
  std::vector<LaunchArgument> all;
  for (const ScriptCommand& command : script.commands)
    if (const auto launch = launch_command(command, script.unknowns)) {
      if (framework == "megatron-bridge") return overrides_in(*launch);
      all.insert(all.end(), launch->arguments.begin(), launch->arguments.end());
    }
  std::erase_if(all, [](const LaunchArgument& option) { return option.name.empty(); });
  // A reader takes both dashes; the program's own names have the lower ones.
  if (framework == "megatron-swift")
    for (LaunchArgument& option : all) std::replace(option.name.begin() + 2, option.name.end(), '-', '_');
  return framework == "trl" ? as_settings(std::move(all)) : all;
}

// The files of each writer, and whose options are in them.
struct OptionsOf {
  std::string writer, file, options;
};
inline const std::vector<OptionsOf> kOptionsOf = {{"megatron-lm", "train.sh", "megatron-lm"},
                                                  {"megatron-bridge", "train.sh", "megatron-bridge"},
                                                  {"torchtitan", "train.toml", "torchtitan"},
                                                  {"mindspeed-llm", "train.sh", "mindspeed-llm"},
                                                  {"accelerate", "train.sh", "trl"},
                                                  {"accelerate", "accelerate.yaml", "accelerate"},
                                                  {"deepspeed", "train.sh", "trl"},
                                                  {"deepspeed", "deepspeed.json", "deepspeed"},
                                                  {"accelerate", "train.yaml", "llama-factory"},
                                                  {"deepspeed", "train.yaml", "llama-factory"},
                                                  {"megatron-swift", "train.sh", "megatron-swift"}};

inline void expect_known_options(std::string_view writer, const WrittenLaunch& launch,
                                 const std::string& what) {
  for (const OptionsOf& each : kOptionsOf)
    for (const LaunchFile& file : launch.files) {
      if (each.writer != writer || each.file != file.name) continue;
      const Node facts = option_facts(each.options);
      for (const LaunchArgument& option : options_in(each.options, file))
        EXPECT_EQ(objection(facts, option), "") << what << ' ' << writer << ' ' << file.name;
    }
}

}  // namespace spillway
