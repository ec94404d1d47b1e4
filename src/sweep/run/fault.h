// Carries an exception of a worker as bytes to the process that waits for the worker.
#pragma once

#include <exception>
#include <string>
#include <string_view>

namespace spillway {

// Packs the exception into bytes.
std::string fault_bytes(const std::exception_ptr& thrown);

// Throws the exception that fault_bytes packed. InputError keeps its violations, and Infeasible and
// ContractBreach keep their type. Any other exception becomes a std::runtime_error with the same text.
[[noreturn]] void rethrow_fault(std::string_view bytes);

}  // namespace spillway
