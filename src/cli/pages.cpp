#include "cli/pages.h"

#include <ostream>

#include "report/page/html.h"

namespace spillway {

void add_page_file(WholeFiles& files, const std::filesystem::path& folder,
                   const std::function<std::string()>& document) {
  if (!has_page()) return;
  const std::string json = document();
  files.add(folder / "report.html", [&](std::ostream& out) { write_page(out, json); });
}

std::string page_words() {
  return has_page()
             ? "report.html (open in a browser)"
             : "no report.html (this program was built without esbuild and D3; install them and build again)";
}

}  // namespace spillway
