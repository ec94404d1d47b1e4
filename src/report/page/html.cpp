#include "report/page/html.h"

#include <nlohmann/json.hpp>
#include <ostream>

#include "base/error.h"
#include "spec/json/dumped.h"

// Of bundle.S, which holds the file that bundle.cmake makes.
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

// In JSON '<' stands only inside strings.
void write_without_markup(std::ostream& out, std::string_view json) {
  for (std::size_t at = json.find('<'); at != std::string_view::npos; at = json.find('<')) {
    out << json.substr(0, at) << "\\u003c";
    json.remove_prefix(at + 1);
  }
  out << json;
}

}  // namespace

bool has_page() {
  return !page().empty();
}

std::string page_of(std::string_view kind, const std::string& verdict, const std::string& document) {
  return R"({"kind":")" + std::string(kind) + R"(","verdict":)" + dumped(nlohmann::json(verdict)) +
         R"(,"document":)" + document + '}';
}

void write_page(std::ostream& out, const std::string& json) {
  const std::size_t place = page().find(kPlace);
  ensure(place != std::string_view::npos, "a page with a place for its data");
  out << page().substr(0, place);
  write_without_markup(out, json);
  out << page().substr(place + kPlace.size());
}

}  // namespace spillway
