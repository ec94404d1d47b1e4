// Translates C++ exceptions into those of the package (spillway/errors.py).
#include <pybind11/pybind11.h>

#include <exception>
#include <string>

#include "api/plan_job.h"
#include "base/error.h"
#include "python/bindings.h"

namespace spillway {
namespace {

namespace py = pybind11;

py::object exception_called(const char* name) {
  return py::module_::import("spillway.errors").attr(name);
}

void raise(const py::object& exception) {
  PyErr_SetObject(py::type::of(exception).ptr(), exception.ptr());
}

void raise_input_error(const InputError& bad) {
  py::list violations;
  for (const Violation& each : bad.violations())
    violations.append(exception_called("Violation")(each.file, each.pointer, each.expected, each.found));
  raise(exception_called("InputError")(violations));
}

std::string words_of(const InterruptedPlan& end) {
  if (!end.store) return "interrupted";
  return std::to_string(end.kept) + " evaluated layouts are stored in " + *end.store +
         "; continue with resume=True";
}

void translate(std::exception_ptr thrown) {
  try {
    if (thrown) std::rethrow_exception(thrown);
  } catch (const InputError& bad) {
    raise_input_error(bad);
  } catch (const Infeasible& none) {
    raise(exception_called("Infeasible")(std::string(none.what())));
  } catch (const InterruptedPlan& end) {
    PyErr_SetString(PyExc_KeyboardInterrupt, words_of(end).c_str());
  } catch (const Interrupted& end) {
    PyErr_SetString(PyExc_KeyboardInterrupt, end.what());
  } catch (const ContractBreach& fault) {
    PyErr_SetString(PyExc_RuntimeError, (std::string("a fault of the program: ") + fault.what()).c_str());
  }
}

}  // namespace

void add_errors() {
  py::register_exception_translator(translate);
}

}  // namespace spillway
