// How things go wrong. Bad input throws InputError with every violation found (exit 2); a question without a
// feasible answer throws Infeasible (exit 3); a broken contract inside the program throws ContractBreach
// (exit 1).
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace spillway {

// One thing wrong with an input: where (file and JSON pointer), what was expected, what was found.
struct Violation {
  std::string file;
  std::string pointer;
  std::string expected;
  std::string found;

  friend bool operator==(const Violation&, const Violation&) = default;
};

// "FILE: /json/pointer: expected ..., found ..."
std::string to_string(const Violation& violation);

// The same violations as seen from an enclosing document: the file filled in where it is empty, `prefix` put
// before each pointer.
std::vector<Violation> located(std::vector<Violation> violations, const std::string& file,
                               const std::string& prefix);

class InputError : public std::runtime_error {
 public:
  explicit InputError(std::vector<Violation> violations);
  const std::vector<Violation>& violations() const { return violations_; }

 private:
  std::vector<Violation> violations_;
};

class Infeasible : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class ContractBreach : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

// Throws ContractBreach unless `condition` holds.
inline void ensure(bool condition, const char* contract) {
  if (!condition) throw ContractBreach(contract);
}

}  // namespace spillway
