// The program as its user meets it: exit status, standard output, standard error, files.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

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
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() /
              ("spillway-" + std::string(test->name()) + "-" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

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
    std::ofstream(folder_ / name, std::ios::binary) << content;
    return (folder_ / name).string();
  }

  // Expects exit status 2, an empty standard output, and the message, which names the file and the place.
  void expect_refused(const std::string& arguments, const std::string& message) const {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, 2) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_NE(outcome.err.find(message), std::string::npos) << outcome.err;
  }

  fs::path folder_;
};

inline const std::string kSmall = "workloads/experiments/small.json";

}  // namespace spillway::testing
