// A loop over several threads.
#pragma once

#include <cstddef>
#include <functional>

namespace spillway {

// Calls each(i) for every i below `count`, on at most `threads` threads, including the caller's. Calls must
// write to separate places, so that the result does not depend on threads or timing. An exception ends the
// loop and is rethrown when all threads have ended. Contract: threads > 0.
void in_parallel(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& each);

}  // namespace spillway
