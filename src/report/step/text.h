// The report for the terminal.
#pragma once

#include <iosfwd>

#include "evaluate/evaluation.h"
#include "report/step/picture.h"

namespace spillway {

// The verdict; a table of the schedules, what is to be careful with, what was fitted and assumed. With
// style.verbose how well devices are used, what critical paths are made of, and for each schedule its
// picture, the line that explains its spill, a table of its ranks. With style.legend what all that means.
// Over several draws a figure is the mean; a rank's is the mean over its replicas too, with the largest
// encoder work and spill beside it.
void write_text_report(std::ostream& out, const Evaluation& evaluation, const TextStyle& style = {});

// What standard output can show: its width and colours if it is a terminal (and NO_COLOR is unset), else
// plain text of the usual width.
TextStyle terminal_style();

}  // namespace spillway
