// Turns the axes of a sweep into text for people. An axis is a JSON pointer into the experiment. Its values
// are JSON text.
#pragma once

#include <optional>
#include <string>

namespace spillway {

// The unit at the end of the pointer's last key: "ms" for "/network/p2p_ms", "" if it names none.
std::string axis_unit(const std::string& pointer);

// Returns "model blocks 0 forward (ms)" for "/model/blocks/0/forward_ms".
std::string axis_label(const std::string& pointer);

// Drops the quotes of a string that no other JSON value could be mistaken for. Returns any other value
// unchanged.
std::string axis_text(const std::string& value);

// Returns nothing if the value is not a number.
std::optional<double> axis_number(const std::string& value);

// Returns true if both are the same value. `asked` may leave out the quotes of a string, or write a number in
// another form.
bool same_axis_value(const std::string& value, const std::string& asked);

}  // namespace spillway
