// A writer returns the files of a launch, or the reasons why its framework cannot express the job.
#pragma once

#include <string>
#include <variant>
#include <vector>

namespace spillway {

struct LaunchFile {
  std::string name;  // "train.sh"
  std::string text;
};

// The first file starts the training: `bash train.sh`.
struct WrittenLaunch {
  std::vector<LaunchFile> files;
  std::string arguments;                  // those of layout and batch, on one line
  std::vector<std::string> remarks = {};  // sentences without a full stop
};

using LaunchReasons = std::vector<std::string>;  // sentences without a full stop
using LaunchAnswer = std::variant<WrittenLaunch, LaunchReasons>;

}  // namespace spillway
