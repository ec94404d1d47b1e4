// A document as a page for a browser, one file that needs no network. The build bundles the page's code, in
// web/, with D3. If esbuild or D3 is missing then, the program has no page.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

namespace spillway {

bool has_page();

// Returns { "kind", "verdict", "document", "description" }: a command's JSON document, its answer in one
// sentence, and what its pictures show, JSON, if that is no part of the document.
std::string page_of(std::string_view kind, const std::string& verdict, const std::string& document,
                    const std::string& description = "null");

// Writes the page of one document, {"kind": ..., ...}; web/main.js lists the kinds. The document is in the
// page's script gzipped and in base64. So names in it, whatever they hold, can neither end the script nor
// become markup. Contract: has_page().
void write_page(std::ostream& out, const std::string& json);

}  // namespace spillway
