// A file with a given text for as long as a test needs it.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "support/temporary_folder.h"

namespace spillway::testing {

class WrittenFile {
 public:
  explicit WrittenFile(std::string_view text, const std::string& name = "trace.csv")
      : path_(folder_.file(name, std::string(text))) {}

  const std::string& path() const { return path_; }

 private:
  const TemporaryFolder folder_;
  const std::string path_;
};

}  // namespace spillway::testing
