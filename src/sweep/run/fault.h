// What a worker threw, on its way to the process that waits for the worker.
#pragma once

#include <exception>
#include <string>
#include <string_view>

namespace spillway {

// The exception as bytes.
std::string fault_bytes(const std::exception_ptr& thrown);

// Throws what fault_bytes was given: an InputError with its violations, an Infeasible or a ContractBreach as
// they were, anything else as a std::runtime_error of the same text.
[[noreturn]] void rethrow_fault(std::string_view bytes);

}  // namespace spillway
