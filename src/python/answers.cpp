// Answers in Python: the document as text, the page, and timelines as buffers over the memory of a run.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstddef>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.h"
#include "python/bindings.h"
#include "report/page/html.h"
#include "report/step/json.h"

namespace spillway {

std::string page_text(const Answer& answer) {
  if (!has_page() || !answer.page_json) return "";
  std::ostringstream out;
  write_page(out, answer.page_json());
  return out.str();
}

namespace {

namespace py = pybind11;

// Memory of a run that Python reads as a buffer (numpy.asarray). It keeps the run alive.
struct View {
  std::shared_ptr<const RunAnswer> owner;
  const void* data;
  std::size_t item;
  std::string format;
  std::vector<py::ssize_t> shape;
  std::vector<py::ssize_t> strides;
};

py::buffer_info buffer_of(const View& view) {
  return {const_cast<void*>(view.data),
          static_cast<py::ssize_t>(view.item),
          view.format,
          static_cast<py::ssize_t>(view.shape.size()),
          view.shape,
          view.strides,
          true};
}

static_assert(std::is_standard_layout_v<Event> && std::is_standard_layout_v<Seconds>);
static_assert(sizeof(Seconds) == sizeof(double) && sizeof(RankId) == sizeof(std::uint32_t));

// The first draw of a schedule, by the engine of the report.
struct FirstDrawView {
  std::shared_ptr<const RunAnswer> owner;
  const ScheduleResult* schedule;

  const Order& order() const { return schedule->derived->order; }

  View times(const PerEvent<Seconds>& of) const {
    const auto events = static_cast<py::ssize_t>(of.events()), lanes = static_cast<py::ssize_t>(of.lanes());
    constexpr auto size = static_cast<py::ssize_t>(sizeof(double));
    return {owner,           of.flat().data(),    sizeof(double), py::format_descriptor<double>::format(),
            {events, lanes}, {lanes * size, size}};
  }

  template <class Number>
  View column(std::size_t offset) const {
    const auto events = order().events();
    return {owner,
            reinterpret_cast<const std::byte*>(events.data()) + offset,
            sizeof(Number),
            py::format_descriptor<Number>::format(),
            {static_cast<py::ssize_t>(events.size())},
            {static_cast<py::ssize_t>(sizeof(Event))}};
  }

  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const Event& event : order().events()) all.push_back(event_name(event, *schedule->derived));
    return all;
  }
};

FirstDrawView first_draw(const Answer& answer, const std::string& name) {
  const auto& schedules = answer.run->evaluation.schedules;
  for (const ScheduleResult& schedule : schedules)
    if (schedule.name == name) return {answer.run, &schedule};
  throw py::key_error(name);
}

}  // namespace

void add_answers(py::module_& module) {
  py::class_<View>(module, "View", py::buffer_protocol()).def_buffer(buffer_of);
  py::class_<FirstDrawView>(module, "FirstDraw")
      .def_property_readonly("start",
                             [](const FirstDrawView& d) { return d.times(d.schedule->first.timeline.start); })
      .def_property_readonly("end",
                             [](const FirstDrawView& d) { return d.times(d.schedule->first.timeline.end); })
      .def_property_readonly(
          "kind", [](const FirstDrawView& d) { return d.column<std::uint8_t>(offsetof(Event, kind)); })
      .def_property_readonly(
          "rank", [](const FirstDrawView& d) { return d.column<std::uint32_t>(offsetof(Event, rank)); })
      .def_property_readonly(
          "stage", [](const FirstDrawView& d) { return d.column<std::uint32_t>(offsetof(Event, stage)); })
      .def_property_readonly(
          "microbatch",
          [](const FirstDrawView& d) { return d.column<std::uint32_t>(offsetof(Event, microbatch)); })
      .def("names", &FirstDrawView::names);
  py::class_<Answer>(module, "Answer")
      .def_readonly("document", &Answer::document)
      .def("page", page_text, py::call_guard<py::gil_scoped_release>())
      .def("first_draw", first_draw);
}

}  // namespace spillway
