// The exit status of a command that Ctrl-C ended.
#pragma once

namespace spillway {

inline constexpr int kInterrupted = 130;  // what a shell says

}  // namespace spillway
