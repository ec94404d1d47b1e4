// The report for the terminal.
#pragma once

#include <iosfwd>

#include "evaluate/evaluation.h"
#include "report/step/picture.h"

namespace spillway {

// Writes the verdict, a table of the schedules, the warnings, the fitted parameters and the assumptions.
// style.verbose adds the use of the devices and the parts of the critical paths. It also adds each schedule's
// picture, the line that explains its spill, and a table of its ranks. style.legend adds the meaning of
// letters and columns. A figure over several draws is the mean. A rank's figure is the mean over its
// replicas, too, with the largest encoder time and spill beside it.
void write_text_report(std::ostream& out, const Evaluation& evaluation, const TextStyle& style = {});

// Returns the style for standard output. A terminal gets its own width, and colours unless NO_COLOR is set.
// Anything else gets plain text of the default width.
TextStyle terminal_style();

}  // namespace spillway
