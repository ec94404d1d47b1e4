// spillway._native: the commands as functions of texts. The Python package converts dicts to and from texts.
#include <pybind11/pybind11.h>

#include "base/version.h"
#include "python/bindings.h"
#include "report/page/html.h"

PYBIND11_MODULE(_native, module) {
  module.attr("version") = spillway::program_version();
  module.attr("has_page") = spillway::has_page();
  spillway::add_errors();
  spillway::add_answers(module);
  spillway::add_commands(module);
}
