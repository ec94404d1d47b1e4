// Runs `spillway COMMAND ...`. Takes arguments and returns an exit status.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <iostream>
#include <memory>
#include <new>
#include <sstream>
#include <string>

#include "base/error.h"
#include "base/memory.h"
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

// The launcher ends the whole job when a rank fails, so that rank 0 could not print its message. So other
// ranks return 0, and rank 0 finds the same error.
int refuse_usage(CLI::App& app, const CLI::ParseError& usage) {
  if (!is_launched_first()) return 0;
  app.exit(usage, std::cerr, std::cerr);
  return kBadInput;
}

int execute(int argc, char** argv) {
  CLI::App app("Spillway: simulates pipeline-parallel training schedules on a cluster before you rent it",
               "spillway");
  app.formatter(std::make_shared<HelpText>());
  app.require_subcommand(1);
  app.set_version_flag("--version", program_version());
  int status = 0;
  for (AddCommand* add : kCommands) add(app, status);
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
