// The parts of the Python module. Private to src/python.
#pragma once

#include <pybind11/pybind11.h>

namespace spillway {

void add_errors();
void add_answers(pybind11::module_& module);
void add_commands(pybind11::module_& module);

}  // namespace spillway
