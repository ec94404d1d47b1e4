// Which program this is.
#pragma once

namespace spillway {

const char* program_version();

}  // namespace spillway
