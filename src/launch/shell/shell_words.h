// Commands that are themselves shells, and words of commands that may train.
#pragma once

#include <string>
#include <vector>

namespace spillway {

// The text of "bash -c TEXT", perhaps behind srun or docker, among the expanded words of a command; null if
// there is none.
const std::string* text_for_shell(const std::vector<std::string>& fields);

// True for an argument that begins with "--", and for a YAML file.
bool may_train(const std::string& field);

}  // namespace spillway
