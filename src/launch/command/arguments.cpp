#include "launch/command/arguments.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <limits>

#include "base/text.h"
#include "launch/shell/glob.h"

namespace spillway {
namespace {

std::string quoted(const std::string& text) {
  return '"' + text.substr(0, 60) + '"';
}

bool is_argument(const std::string& text) {
  return text.size() > 2 && text.starts_with("--");
}

// Returns true for a word that is nothing but an unknown part that no variable names.
bool is_perhaps(const std::string& text, const UnknownParts& unknowns) {
  const std::vector<std::size_t> parts = unknowns_in(text);
  return parts.size() == 1 && unknowns.at(parts.front()).name.empty() && text.front() == kUnknownBegins &&
         text.find(kUnknownEnds) + 1 == text.size();
}

// The program's place among the words, and its name; nothing if there is none.
struct Program {
  std::size_t at;      // of its first argument
  std::size_t begins;  // of its own word
  std::string name;
};

std::optional<Program> program_of(const std::vector<ScriptWord>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& text = words[i].text;
    const std::string last = text.substr(text.rfind('/') + 1);
    if (text.ends_with(".py") && !is_argument(text)) return Program{i + 1, i, last};
    const bool has_next = i + 1 < words.size() && !is_argument(words[i + 1].text);
    const bool command_line = last == "megatron" || last == "swift" || last == "llamafactory-cli";
    if (command_line && has_next) return Program{i + 2, i, last + ' ' + words[i + 1].text};
    // python -m torch.distributed.run and accelerate.commands.launch start the program that follows.
    if (text == "-m" && has_next && !words[i + 1].text.starts_with("torch.distributed") &&
        !words[i + 1].text.starts_with("accelerate"))
      return Program{i + 2, i, words[i + 1].text};
  }
  return std::nullopt;
}

}  // namespace

std::string place_of(const LaunchArgument& argument) {
  const std::string& name = argument.as_written.empty() ? argument.name : argument.as_written;
  if (argument.line == 0) return (argument.file.empty() ? "--argument" : argument.file) + ", " + name;
  return (argument.file.empty() ? "" : argument.file + ", ") + "line " + std::to_string(argument.line) +
         ", " + name;
}

std::vector<LaunchArgument> arguments_of(const std::vector<ScriptWord>& words, const UnknownParts& unknowns) {
  std::vector<LaunchArgument> arguments;
  for (const ScriptWord& word : words) {
    if (is_perhaps(word.text, unknowns)) {
      arguments.push_back({"", {word}, word.line});
      continue;
    }
    if (!is_argument(word.text)) {
      if (arguments.empty()) arguments.push_back({"", {}, word.line});
      arguments.back().values.push_back(word);
      continue;
    }
    const std::size_t equals = word.text.find('=');
    std::string name = word.text.substr(0, equals);
    std::ranges::replace(name, '_', '-');
    arguments.push_back({std::move(name), {}, word.line});
    if (equals != std::string::npos)
      arguments.back().values.push_back({word.text.substr(equals + 1), word.line});
  }
  return arguments;
}

std::optional<LaunchCommand> launch_command(const ScriptCommand& command, const UnknownParts& unknowns) {
  const std::optional<Program> program = program_of(command.words);
  if (!program) return std::nullopt;
  const auto at = [&](std::size_t index) {
    return command.words.begin() + static_cast<std::ptrdiff_t>(index);
  };
  return LaunchCommand{arguments_of({at(0), at(program->begins)}, unknowns),
                       program->name,
                       arguments_of({at(program->at), command.words.end()}, unknowns),
                       command.environment,
                       command.words[program->begins].line,
                       command.certain};
}

const LaunchArgument* Arguments::find(std::string_view name) const {
  const auto found = std::ranges::find(arguments_.rbegin(), arguments_.rend(), name, &LaunchArgument::name);
  return found == arguments_.rend() ? nullptr : &*found;
}

const LaunchArgument* Arguments::ask(std::string_view name) {
  for (LaunchArgument& argument : arguments_)
    if (argument.name == name) argument.asked_for = true;
  return find(name);
}

bool Arguments::flag(std::string_view name) {
  const LaunchArgument* argument = ask(name);
  if (!argument) return false;
  if (argument->values.empty()) return true;
  const ScriptWord* given = value(name);
  const std::string text = given ? lower(given->text) : "";
  if (given && text != "true" && text != "false" && text != "1" && text != "0")
    refuse(name, "no value, true or false", quoted(given->text));
  return text == "true" || text == "1";
}

const ScriptWord* Arguments::value(std::string_view name) {
  const LaunchArgument* argument = ask(name);
  if (!argument) return nullptr;
  if (argument->values.size() != 1) {
    refuse(name, "one value", argument->values.empty() ? "none" : std::to_string(argument->values.size()));
    return nullptr;
  }
  return expect_known(argument->values.front(), place_of(*argument)) ? &argument->values.front() : nullptr;
}

bool Arguments::expect_known(const ScriptWord& value, const std::string& place) {
  const std::vector<std::size_t> unknowns = unknowns_in(value.text);
  for (const std::size_t index : unknowns) {
    const UnknownPart& part = unknowns_.at(index);
    const std::string how =
        part.name.empty() ? "a value that can be read in the script" : "--set " + part.name + "=VALUE";
    findings_.add(place, how, quoted(spillway::shown(value.text, unknowns_)) + " (" + part.why + ")");
  }
  return unknowns.empty();
}

std::optional<std::uint32_t> Arguments::whole(std::string_view name) {
  const ScriptWord* given = value(name);
  if (!given) return std::nullopt;
  std::uint32_t number = 0;
  const std::string& text = given->text;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size() && number > 0) return number;
  refuse(name, "a whole number from 1", quoted(text));
  return std::nullopt;
}

std::optional<double> Arguments::number(std::string_view name) {
  const ScriptWord* given = value(name);
  if (!given) return std::nullopt;
  double number = 0;
  const std::string& text = given->text;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size() && number >= 0 &&
      number <= std::numeric_limits<double>::max())
    return number;
  refuse(name, "a number from 0", quoted(text));
  return std::nullopt;
}

std::optional<std::string> Arguments::word(std::string_view name) {
  const ScriptWord* given = value(name);
  return given ? std::optional(given->text) : std::nullopt;
}

std::optional<std::string> Arguments::known_word(std::string_view name) {
  const LaunchArgument* argument = ask(name);
  if (!argument || argument->values.size() != 1 || has_unknown(argument->values.front().text))
    return std::nullopt;
  return argument->values.front().text;
}

std::vector<std::string> Arguments::words(std::string_view name) {
  std::vector<std::string> texts;
  if (const LaunchArgument* argument = ask(name))
    for (const ScriptWord& each : argument->values)
      if (expect_known(each, place_of(*argument))) texts.push_back(each.text);
  return texts;
}

void Arguments::refuse(std::string_view name, const std::string& expected, const std::string& found) {
  const LaunchArgument* argument = find(name);
  findings_.add(argument ? place_of(*argument) : std::string(name), expected, found);
}

void Arguments::ask_for(std::string_view name, const std::string& what) {
  findings_.add(std::string(name), what + " (--argument \"" + std::string(name) + " VALUE\")",
                "none in the script");
}

void Arguments::pass_over(std::string_view pattern) {
  const std::size_t equals = pattern.find('=');
  const std::string_view name = pattern.substr(0, equals);
  for (LaunchArgument& argument : arguments_) {
    if (argument.asked_for || !matches_glob(name, argument.name)) continue;
    const bool any = equals == std::string_view::npos;
    const std::string value = argument.values.empty() ? "" : lower(argument.values.front().text);
    if (!any && (argument.values.size() > 1 || value != pattern.substr(equals + 1))) continue;
    // It replaces what came before it.
    for (LaunchArgument& same : arguments_)
      if (same.name == argument.name && &same <= &argument) same.asked_for = same.idle = true;
  }
}

void Arguments::changes_nothing(std::string_view name) {
  for (LaunchArgument& argument : arguments_)
    if (argument.name == name) argument.asked_for = argument.idle = true;
}

std::vector<LaunchArgument> Arguments::read() const {
  return those([](const LaunchArgument& argument) { return argument.asked_for && !argument.idle; });
}
std::vector<LaunchArgument> Arguments::idle() const {
  return those([](const LaunchArgument& argument) { return argument.idle; });
}
std::vector<LaunchArgument> Arguments::left() const {
  return those([](const LaunchArgument& argument) { return !argument.asked_for; });
}

std::vector<LaunchArgument> Arguments::those(bool (*chosen)(const LaunchArgument&)) const {
  std::vector<LaunchArgument> some;
  std::ranges::copy_if(arguments_, std::back_inserter(some), chosen);
  return some;
}

std::string Arguments::shown(const LaunchArgument& argument) const {
  std::string text = argument.as_written.empty() ? argument.name : argument.as_written;
  for (const ScriptWord& value : argument.values) {
    text += (text.empty() ? "" : " ") + spillway::shown(value.text, unknowns_);
    for (const std::size_t index : unknowns_in(value.text))
      if (unknowns_.at(index).name.empty()) text += " (" + unknowns_.at(index).why + ')';
  }
  return text;
}

}  // namespace spillway
