// The difference between a layout and plan 1 by its causes, as text. Private to src/ask.
#pragma once

#include <string>

#include "ask/explained_layout.h"

namespace spillway {

// The causes in a sentence, and the way as a table. Of a layout whose step is not known: each change alone.
// Empty if there is no way.
std::string way_text(const AskedLayout& asked, const ExplainedLayout& explained);

// Where the steps of the layout, of plan 1 and of the best go, side by side. Empty without a plan.
std::string accounts_text(const ExplainedLayout& explained);

}  // namespace spillway
