#include "cli/pages.h"

#include <ostream>

#include "report/page/html.h"
#include "report/words/whole_file.h"

namespace spillway {

void write_page_file(const std::filesystem::path& folder, const std::function<std::string()>& document) {
  if (!has_page()) return;
  const std::string json = document();
  write_whole_file(folder / "report.html", [&](std::ostream& out) { write_page(out, json); });
}

std::string page_words() {
  return has_page() ? "report.html (open in a browser)"
                    : "no report.html (the program was built without esbuild and D3)";
}

}  // namespace spillway
