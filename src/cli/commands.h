// The table of commands. A new command is a file that adds it, and its name here, twice; nothing else names
// it. Commands throw InputError, Infeasible or ContractBreach. main turns these into messages on standard
// error and exit status 2, 3 or 1.
#pragma once

#include <array>

namespace CLI {
class App;
}

namespace spillway {

// Adds a command to `app`. Parsing runs the command and puts its exit status into `status`.
using AddCommand = void(CLI::App& app, int& status);

AddCommand add_run, add_derive, add_explain, add_images, add_support, add_validate, add_calibrate, add_import,
    add_export, add_sweep, add_plan, add_twin, add_synthesize, add_compare, add_execute, add_schema;
// In the order of --help.
inline constexpr std::array kCommands = {
    add_run,    add_derive, add_explain, add_images, add_support,    add_validate, add_calibrate, add_import,
    add_export, add_sweep,  add_plan,    add_twin,   add_synthesize, add_compare,  add_execute,   add_schema};

// The exit status of a command that Ctrl-C ended.
inline constexpr int kInterrupted = 130;  // as shells report it

}  // namespace spillway
