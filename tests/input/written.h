// Files written for one test, and the messages that reading them makes.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "input/experiment/experiment.h"

namespace spillway {

using Lines = std::vector<std::string>;

// A file of this name and content in a folder of this process; later writes replace it.
std::string written(const std::string& name, const std::string& content);

// The folder itself.
std::string folder_of_this_test();

// The lines of the InputError that `read` throws, the folder cut off; none if it throws nothing.
Lines complaints(const std::function<void()>& read);

// The complaints of reading `text` as an experiment named x.json.
Lines experiment_complaints(const std::string& text);

// A file of the repository.
std::string shipped(const std::string& path);

std::string content_of(const std::string& path);

// The shipped small.json.
Experiment small();

}  // namespace spillway
