// What the page of a trace's validation shows, as data.
#pragma once

#include <string>

#include "validate/validation.h"

namespace spillway {

// A document of report/page/html.h, { "kind": "validation", "verdict", "document", "timelines" }: what
// `validate --json` says, and the first step event by event, as measured and as replayed, on one axis of
// time.
std::string validation_page(const Validation& validation, const std::string& document);

}  // namespace spillway
