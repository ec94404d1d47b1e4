// The version of the program.
#pragma once

namespace spillway {

const char* program_version();

}  // namespace spillway
