// Pages beside the other output of commands (report/page/html.h).
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "words/whole_file.h"

namespace spillway {

// Adds report.html in `folder`. Makes its document only if the program was built with pages; otherwise adds
// nothing.
void add_page_file(WholeFiles& files, const std::filesystem::path& folder,
                   const std::function<std::string()>& document);

// Returns "report.html (open in a browser)", or the reason why there is none.
std::string page_words();

}  // namespace spillway
