// What a command answers, as Python holds it. Private to src/python.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "api/run.h"

namespace spillway {

struct Answer {
  std::string document = {};                    // what the command line prints with --json
  std::function<std::string()> page_json = {};  // of report/page/html.h; empty: there is none
  std::shared_ptr<const RunAnswer> run = {};    // of `run` alone, for its timelines
};

// The page as one HTML document; empty where there is none, or the program was built without.
std::string page_text(const Answer& answer);

}  // namespace spillway
