// The program as its user meets it: exit status, standard output, standard error, files.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "support/temporary_folder.h"

namespace spillway::testing {

namespace fs = std::filesystem;

inline const fs::path kSource = SPILLWAY_SOURCE_DIR;

struct Outcome {
  int status;
  std::string out;
  std::string err;
};

inline std::string slurp(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

class Cli : public ::testing::Test {
 protected:
  // `launcher` precedes the program on its command line.
  Outcome run(const std::string& arguments, const std::string& launcher = "") const {
    const fs::path out = folder_ / "stdout", err = folder_ / "stderr";
    const std::string command = "cd '" + kSource.string() + "' && " + launcher +
                                " '" SPILLWAY_PROGRAM "' >'" + out.string() + "' " + arguments + " 2>'" +
                                err.string() + "'";
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, slurp(out), slurp(err)};
  }

  std::string file(const std::string& name, const std::string& content) const {
    return temporary_.file(name, content);
  }

  // Expects exit status 2, an empty standard output, and the message, which names the file and the place.
  void expect_refused(const std::string& arguments, const std::string& message) const {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, 2) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_NE(outcome.err.find(message), std::string::npos) << outcome.err;
  }

  const TemporaryFolder temporary_;
  const fs::path folder_ = temporary_.path();
};

inline const std::string kSmall = "workloads/experiments/small.json";

}  // namespace spillway::testing
