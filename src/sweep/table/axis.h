// The axes of a sweep as people read them. An axis is a JSON pointer into the experiment, its values are JSON
// text.
#pragma once

#include <optional>
#include <string>

namespace spillway {

// The unit that the pointer's last key ends in: "ms" of "/network/p2p_ms", "" where it names none.
std::string axis_unit(const std::string& pointer);

// "model blocks 0 forward (ms)" of "/model/blocks/0/forward_ms".
std::string axis_label(const std::string& pointer);

// The value without quotes where it is a string that nothing else could be taken for; else as it is.
std::string axis_text(const std::string& value);

// Nothing where it is no number.
std::optional<double> axis_number(const std::string& value);

// Do both say the same? `asked` may leave out the quotes of a string, and write a number in another form.
bool same_axis_value(const std::string& value, const std::string& asked);

}  // namespace spillway
