// The commands. One more is a file that adds it, and its name here, twice; nothing else knows of it. What a
// command does throws InputError, Infeasible or ContractBreach, which main turns into messages on standard
// error and exit status 2, 3 or 1.
#pragma once

#include <array>

namespace CLI {
class App;
}

namespace spillway {

// Adds a command to `app`; parsing it runs it, and leaves the exit status in `status`.
using AddCommand = void(CLI::App& app, int& status);

AddCommand add_run, add_derive, add_explain, add_images, add_support, add_validate, add_calibrate, add_import,
    add_sweep, add_plan, add_compare, add_schema;
// In the order of --help.
inline constexpr std::array kCommands = {add_run,     add_derive,   add_explain,   add_images,
                                         add_support, add_validate, add_calibrate, add_import,
                                         add_sweep,   add_plan,     add_compare,   add_schema};

// The exit status of a command that Ctrl-C ended.
inline constexpr int kInterrupted = 130;  // what a shell says

}  // namespace spillway
