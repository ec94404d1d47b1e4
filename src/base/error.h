// The program's exceptions. InputError reports every violation of a bad input (exit status 2). Infeasible
// reports a question without a feasible answer (exit status 3). ContractBreach reports a fault of the program
// (exit status 1).
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

namespace spillway {

// One error in an input: its place (file and JSON pointer), the expected value and the value found.
struct Violation {
  std::string file;
  std::string pointer;
  std::string expected;
  std::string found;

  friend bool operator==(const Violation&, const Violation&) = default;
};

// "FILE: /json/pointer: expected ..., found ..."
std::string to_string(const Violation& violation);

// Returns the violations as seen from an enclosing document: sets `file` where a violation has none, and puts
// `prefix` before each pointer.
std::vector<Violation> located(std::vector<Violation> violations, const std::string& file,
                               const std::string& prefix);

class InputError : public std::runtime_error {
 public:
  explicit InputError(std::vector<Violation> violations);
  const std::vector<Violation>& violations() const { return violations_; }

 private:
  std::vector<Violation> violations_;
};

// The violations of several inputs, which are reported together.
class InputErrors {
 public:
  // Keeps the violations if `read` throws InputError, each once.
  template <class Read>
  void of(Read read) try {
    read();
  } catch (const InputError& bad) {
    for (const Violation& each : bad.violations())
      if (std::ranges::find(violations_, each) == violations_.end()) violations_.push_back(each);
  }
  void throw_if_any() const {
    if (!violations_.empty()) throw InputError(violations_);
  }

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
