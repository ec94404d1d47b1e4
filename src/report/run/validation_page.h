// The data of the page of a trace's validation.
#pragma once

#include <string>

#include "validate/validation.h"

namespace spillway {

// Returns a document for report/page/html.h, { "kind": "validation", "verdict", "document", "timelines", ...
// }. `document` is the output of `validate --json`. `timelines` has the events of the first step, as measured
// and as replayed, on one time axis. If the trace is that of a played program, `execution` is
// spillway/execution/1 and `played` its verdict, in place of the validation's; otherwise both are empty.
std::string validation_page(const Validation& validation, const std::string& document,
                            const std::string& execution = {}, const std::string& played = {});

}  // namespace spillway
