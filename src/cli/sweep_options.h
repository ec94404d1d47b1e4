// The options of `spillway sweep` and of its commands export, merge and plot.
#pragma once

namespace CLI {
class App;
}

namespace spillway {

// Adds the command to `app`; parsing it runs it, and leaves the exit status in `status`.
void add_sweep(CLI::App& app, int& status);

}  // namespace spillway
