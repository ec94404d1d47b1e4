#include "sweep/run/fault.h"

#include <stdexcept>
#include <vector>

#include "base/bytes.h"
#include "base/error.h"

namespace spillway {
namespace {

enum class Kind : std::uint8_t { Input, Infeasible, Contract, Other };

std::string packed(Kind kind, std::string_view text) {
  ByteWriter fault;
  fault.integer(static_cast<std::uint8_t>(kind));
  fault.text(text);
  return std::move(fault).take();
}

std::string packed(const std::vector<Violation>& violations) {
  ByteWriter fault;
  fault.integer(static_cast<std::uint8_t>(Kind::Input));
  fault.length(violations.size());
  for (const Violation& violation : violations)
    for (const std::string* part :
         {&violation.file, &violation.pointer, &violation.expected, &violation.found})
      fault.text(*part);
  return std::move(fault).take();
}

std::vector<Violation> unpack_violations(ByteReader& fault) {
  std::vector<Violation> violations(fault.length(4 * sizeof(std::uint32_t)));
  for (Violation& violation : violations)
    for (std::string* part : {&violation.file, &violation.pointer, &violation.expected, &violation.found})
      *part = fault.text();
  return violations;
}

}  // namespace

std::string fault_bytes(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const InputError& bad) {
    return packed(bad.violations());
  } catch (const Infeasible& none) {
    return packed(Kind::Infeasible, none.what());
  } catch (const ContractBreach& breach) {
    return packed(Kind::Contract, breach.what());
  } catch (const std::exception& other) {
    return packed(Kind::Other, other.what());
  } catch (...) {
    return packed(Kind::Other, "an exception of an unknown type");
  }
}

void rethrow_fault(std::string_view bytes) {
  ByteReader fault(bytes, "a message between processes");
  const Kind kind{fault.integer<std::uint8_t>()};
  if (kind == Kind::Input) throw InputError(unpack_violations(fault));
  const std::string text(fault.text());
  if (kind == Kind::Infeasible) throw Infeasible(text);
  if (kind == Kind::Contract) throw ContractBreach(text);
  throw std::runtime_error(text);
}

}  // namespace spillway
