// Pages beside what commands write (report/page/html.h).
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "words/whole_file.h"

namespace spillway {

// Adds report.html in `folder`, of the document that is asked for only then; where the program was built
// without pages there is none.
void add_page_file(WholeFiles& files, const std::filesystem::path& folder,
                   const std::function<std::string()>& document);

// "report.html (open in a browser)", or why there is none.
std::string page_words();

}  // namespace spillway
