#include "report/page/html.h"

#include <nlohmann/json.hpp>
#include <ostream>
#include <sstream>

#include "base/error.h"
#include "json/dumped.h"
#include "report/page/column.h"
#include "words/gzip.h"

// The symbols of bundle.S, which contains the file that bundle.cmake makes.
extern "C" {
extern const char spillway_page_begin[];
extern const char spillway_page_end[];
}

namespace spillway {
namespace {

constexpr std::string_view kPlace = "@data@";

std::string_view page() {
  return {spillway_page_begin, static_cast<std::size_t>(spillway_page_end - spillway_page_begin)};
}

// Gzip and base64 halve the bytes and leave none that could be markup.
std::string packed(const std::string& json) {
  std::ostringstream bytes;
  write_gzipped(bytes, [&](std::ostream& out) { out << json; });
  return base64(bytes.view());
}

}  // namespace

bool has_page() {
  return !page().empty();
}

std::string page_of(std::string_view kind, const std::string& verdict, const std::string& document,
                    const std::string& description) {
  return R"({"kind":")" + std::string(kind) + R"(","verdict":)" + dumped(verdict) + R"(,"document":)" +
         document + R"(,"description":)" + description + '}';
}

void write_page(std::ostream& out, const std::string& json) {
  const std::size_t place = page().find(kPlace);
  ensure(place != std::string_view::npos, "a page with a place for its data");
  out << page().substr(0, place) << packed(json) << page().substr(place + kPlace.size());
}

}  // namespace spillway
