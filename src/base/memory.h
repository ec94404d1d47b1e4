// The memory that this process may use.
#pragma once

#include <cstdint>
#include <string>

namespace spillway {

// The least of the machine's memory, used or not, and the limits of the process (ulimit -v) and of its
// control group, in bytes. Reads Linux's /proc and cgroups (v2 and v1). A source that states nothing sets no
// limit.
std::uint64_t machine_memory();

// "2.1 GB".
std::string memory_text(double bytes);

// Throws Infeasible, with the sizes, if `bytes` exceed machine_memory(): "1000 ranks ... need about 6.3 GB of
// memory, and there are 3.9 GB". `what` begins the sentence, in the plural. Costs nothing below 256 MB.
void require_memory(const std::string& what, double bytes);

}  // namespace spillway
