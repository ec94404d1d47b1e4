// A loop over several threads.
#pragma once

#include <cstddef>
#include <functional>

namespace spillway {

// Calls each(i) for every i below `count`, on at most so many threads, the calling one among them. Each call
// writes to places of its own, so that which thread makes it, and when, has no say in the result. What a call
// throws ends the loop and is thrown on when all threads have ended. Contract: threads > 0.
void in_parallel(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& each);

}  // namespace spillway
