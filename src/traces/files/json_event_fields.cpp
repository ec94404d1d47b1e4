#include "traces/files/json_event_fields.h"

#include <algorithm>

#include "base/number.h"

namespace spillway {

JsonEventFields::Field JsonEventFields::field_of(std::string_view key) {
  if (key == "name") return Field::Name;
  if (key == "cat") return Field::Category;
  if (key == "ph") return Field::Phase;
  if (key == "ts") return Field::At;
  if (key == "dur") return Field::Duration;
  if (key == "pid") return Field::Process;
  if (key == "tid") return Field::Thread;
  if (key == "id") return Field::Id;
  if (key == "args") return Field::Arguments;
  return Field::None;
}

void JsonEventFields::begin() {
  const std::size_t number = event_.number + 1;
  std::vector<std::string> arguments = std::move(event_.arguments);
  for (std::string& argument : arguments) argument.clear();
  event_.number = number;
  event_.phase = 0;
  for (std::string* text : {&event_.name, &event_.category, &event_.process, &event_.thread, &event_.id})
    text->clear();
  event_.at.reset();
  event_.duration_us.reset();
  event_.arguments = std::move(arguments);
}

void JsonEventFields::key(std::size_t depth, std::string_view name) {
  if (depth == 1) {
    field_ = field_of(name);
    argument_ = wanted_.size();  // an args that is an array has no keys
  }
  if (depth == 2)
    argument_ = static_cast<std::size_t>(std::find(wanted_.begin(), wanted_.end(), name) - wanted_.begin());
}

void JsonEventFields::scalar(std::size_t depth, std::string_view text) {
  if (depth == 1) set(text);
  if (depth < 2 || depth > 3 || field_ != Field::Arguments || argument_ == wanted_.size()) return;
  std::string& argument = event_.arguments[argument_];
  if (!argument.empty()) argument += ' ';
  argument += text;
}

void JsonEventFields::set(std::string_view text) {
  switch (field_) {
    case Field::Name:
      event_.name = text;
      break;
    case Field::Category:
      event_.category = text;
      break;
    case Field::Phase:
      event_.phase = text.size() == 1 ? text[0] : '\0';
      break;
    case Field::At:
      event_.at = ClockReading::parse(text);
      break;
    case Field::Duration:
      event_.duration_us = number_from<double>(text);
      break;
    case Field::Process:
      event_.process = text;
      break;
    case Field::Thread:
      event_.thread = text;
      break;
    case Field::Id:
      event_.id = text;
      break;
    case Field::None:
    case Field::Arguments:
      break;
  }
}

}  // namespace spillway
