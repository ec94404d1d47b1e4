// Files written for one test, and the messages from reading them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "input/experiment/experiment.h"

namespace spillway {

using Lines = std::vector<std::string>;

// Writes a file of this name and content in a folder of this process; later writes replace it.
std::string written(const std::string& name, const std::string& content);

// Returns that folder.
std::string folder_of_this_test();

// Returns the lines of the InputError that `read` throws, without the folder; none if it throws nothing.
Lines complaints(const std::function<void()>& read);

// Returns the complaints of reading `text` as an experiment named x.json.
Lines experiment_complaints(const std::string& text);

// Returns the path of a file of the repository.
std::string shipped(const std::string& path);

std::string content_of(const std::string& path);

// Returns the shipped small.json.
Experiment small();

}  // namespace spillway
