// The parts of the Python module, and the answer of a command. Private to src/python.
#pragma once

#include <pybind11/pybind11.h>

#include <functional>
#include <memory>
#include <string>

#include "api/run.h"

namespace spillway {

// A command's answer, as Python holds it.
struct Answer {
  std::string document = {};                    // the command line prints it with --json
  std::function<std::string()> page_json = {};  // for report/page/html.h; empty: no page
  std::shared_ptr<const RunAnswer> run = {};    // set by `run` only, for its timelines
};

// Returns the page as one HTML document, or "" if there is none or the program was built without pages.
std::string page_text(const Answer& answer);

void add_errors();
void add_answers(pybind11::module_& module);
void add_commands(pybind11::module_& module);

}  // namespace spillway
