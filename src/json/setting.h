// What a user changes of a document.
#pragma once

#include <string>

namespace spillway {

// One `--set /pointer=value`, in the order given.
struct Setting {
  std::string pointer;
  std::string value;
};

}  // namespace spillway
