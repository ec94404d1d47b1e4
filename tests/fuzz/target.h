// A reader as a fuzzer sees it: bytes in a file, read or refused. A target per file, which this program has
// by being linked with it: one in a fuzzer, all of them in the test that replays the corpus.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace spillway::testing {

class Target {
 public:
  using Read = void (*)(const std::string& path);

  // `name` names its corpus, and `file` what it reads: where a reader looks at the name, it matters.
  Target(std::string_view name, std::string_view file, Read read);

  std::string_view name() const { return name_; }
  // Returns where the bytes were read or refused; anything else that is thrown is a fault of the program.
  void take(std::string_view bytes) const;

  static const std::vector<const Target*>& all();

 private:
  std::string name_;
  std::string file_;
  Read read_;
};

}  // namespace spillway::testing
