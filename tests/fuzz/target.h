// A reader as a fuzzer sees it: bytes in a file, read or refused. Each file defines a target, and a program
// has those that it is linked with: one in a fuzzer, all in the test that replays the corpus.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace spillway::testing {

class Target {
 public:
  using Read = void (*)(const std::string& path);

  // `name` names its corpus and `file` the file that it reads, which matters to readers that look at the
  // name.
  Target(std::string_view name, std::string_view file, Read read);

  std::string_view name() const { return name_; }
  // Returns if the bytes were read or refused; any other exception is a fault of the program.
  void take(std::string_view bytes) const;

  static const std::vector<const Target*>& all();

 private:
  std::string name_;
  std::string file_;
  Read read_;
};

}  // namespace spillway::testing
