// A document as a page for a browser: one file that needs nothing else, from no network. What it shows and
// how is in web/ beside this, bundled with D3 when the program is built; where esbuild or D3 was missing
// then, there is no page.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

namespace spillway {

bool has_page();

// { "kind", "verdict", "document" }: what a command says as JSON, under the answer in one sentence.
std::string page_of(std::string_view kind, const std::string& verdict, const std::string& document);

// `json`: one document, {"kind": ..., ...}; web/main.js says which kinds there are. Names in it are text,
// whatever they hold: it can neither end the script that it stands in nor become markup. It stands there
// gzipped, in base64. Contract: has_page().
void write_page(std::ostream& out, const std::string& json);

}  // namespace spillway
