// The parts of the Python module, and what commands answer. Private to src/python.
#pragma once

#include <pybind11/pybind11.h>

#include <functional>
#include <memory>
#include <string>

#include "api/run.h"

namespace spillway {

// What a command answers, as Python holds it.
struct Answer {
  std::string document = {};                    // what the command line prints with --json
  std::function<std::string()> page_json = {};  // of report/page/html.h; empty: there is none
  std::shared_ptr<const RunAnswer> run = {};    // of `run` alone, for its timelines
};

// The page as one HTML document; empty where there is none, or the program was built without.
std::string page_text(const Answer& answer);

void add_errors();
void add_answers(pybind11::module_& module);
void add_commands(pybind11::module_& module);

}  // namespace spillway
