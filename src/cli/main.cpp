// Runs `spillway COMMAND ...`. Takes arguments and returns an exit status.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <iostream>
#include <memory>
#include <new>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/memory.h"
#include "base/nearest.h"
#include "base/printable_stream.h"
#include "base/version.h"
#include "cli/commands.h"
#include "sweep/run/ranks.h"
#include "words/table.h"
#include "words/wording.h"

namespace {

using namespace spillway;

constexpr int kFault = 1, kBadInput = 2, kInfeasible = 3;

// Wraps the lines of the help to the width of a table.
class HelpText final : public CLI::Formatter {
 public:
  std::string make_option_desc(const CLI::Option* option) const override {
    return in_lines(CLI::Formatter::make_option_desc(option));
  }
  std::string make_subcommand(const CLI::App* command) const override {
    std::ostringstream out;
    CLI::detail::format_help(out, command->get_name(), in_lines(command->get_description()), column_width_);
    return out.str();
  }

 private:
  std::string in_lines(const std::string& words) const {
    std::string text = wrapped("", words, kTableColumns - column_width_);
    text.pop_back();
    return text;
  }
};

// Parsing runs the command. A request for help is not an error.
void parse_or_help(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    app.exit(help);
  } catch (const CLI::RequiredError&) {
    if (app.remaining().empty()) throw;
    throw CLI::ExtrasError("spillway", {app.remaining().front()});
  }
}

// If the output could not be written, the command has failed.
void check_written(std::ostream& out) {
  out.flush();
  if (!out)
    throw InputError({{"standard output", "/", "a place that can be written", "a write that failed"}});
}

// The command that was named, "sweep export" of `spillway sweep export --fromat csv`.
const CLI::App& named_command(const CLI::App& app) {
  const auto named = app.get_subcommands();
  return named.empty() ? app : named_command(*named.front());
}

// The options of a command and its own commands, as users write them.
std::vector<std::string> names_under(const CLI::App& command) {
  std::vector<std::string> words;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) words.push_back("--" + name);
  for (const CLI::App* own : command.get_subcommands([](const CLI::App*) { return true; }))
    words.push_back(own->get_name());
  return words;
}

// "--fromat, did you mean --format?" of a word that was not expected, if a name of the command is near it.
std::optional<std::string> meant_word(const CLI::App& app) {
  const CLI::App& command = named_command(app);
  const std::vector<std::string> unexpected = command.remaining(), names = names_under(command);
  const std::vector<std::string_view> known(names.begin(), names.end());
  for (const std::string& each : unexpected) {
    const std::string_view word = std::string_view(each).substr(0, each.find('='));
    if (const auto meant = near_word(word, known))
      return std::string(word) + ", did you mean " + std::string(*meant) + "?";
  }
  return std::nullopt;
}

// The launcher ends the whole job when a rank fails, so that rank 0 could not print its message. So other
// ranks return 0, and rank 0 finds the same error.
int refuse_usage(CLI::App& app, const CLI::ParseError& usage) {
  if (!is_launched_first()) return 0;
  const bool extra = dynamic_cast<const CLI::ExtrasError*>(&usage) != nullptr;
  const auto meant = extra ? meant_word(app) : std::nullopt;
  app.exit(meant ? CLI::ExtrasError("spillway", {*meant}) : usage, std::cerr, std::cerr);
  return kBadInput;
}

// An empty value is an unset variable of the shell, which would pass for an option that was not given.
void refuse_empty_values(CLI::App& command) {
  for (CLI::Option* option : command.get_options())
    if (option->get_items_expected_max() > 0)
      option->check([](const std::string& value) {
        return value.empty() ? std::string("expected a value, found an empty one") : std::string();
      });
  for (CLI::App* own : command.get_subcommands([](const CLI::App*) { return true; }))
    refuse_empty_values(*own);
}

int execute(int argc, char** argv) {
  CLI::App app("Spillway: simulates pipeline-parallel training schedules on a cluster before you rent it",
               "spillway");
  app.formatter(std::make_shared<HelpText>());
  app.require_subcommand(1);
  app.set_version_flag("--version", program_version());
  int status = 0;
  for (AddCommand* add : kCommands) add(app, status);
  refuse_empty_values(app);
  try {
    parse_or_help(app, argc, argv);
    check_written(std::cout);
    return status;
  } catch (const CLI::ParseError& usage) {
    return refuse_usage(app, usage);
  } catch (const InputError& bad) {
    std::cerr << bad.what() << '\n';
    return kBadInput;
  } catch (const Infeasible& none) {
    std::cerr << none.what() << '\n';
    return kInfeasible;
  } catch (const std::bad_alloc&) {
    std::cerr << "spillway: this job needs more memory than the machine has, "
              << memory_text(double(machine_memory()))
              << "; use fewer ranks, microbatches or replicas, or a machine with more memory\n";
    return kInfeasible;
  } catch (const std::exception& fault) {
    std::cerr << "spillway: internal error, a fault of the program: " << fault.what() << '\n';
    return kFault;
  }
}

}  // namespace

int main(int argc, char** argv) {
  const bool shows_colours = ::isatty(STDOUT_FILENO) != 0;
  const PrintableStream out(std::cout, shows_colours ? OwnMarks::Colours : OwnMarks::None);
  const PrintableStream errors(std::cerr, OwnMarks::Returns);
  return execute(argc, argv);
}
