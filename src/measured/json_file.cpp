#include "measured/json_file.h"

#include <fstream>

#include "base/error.h"

namespace spillway {

nlohmann::ordered_json read_json_file(const std::string& path) {
  using Json = nlohmann::ordered_json;
  std::ifstream file(path, std::ios::binary);
  if (!file) throw InputError({{path, "/", "a readable file", "none"}});
  try {
    return Json::parse(file);
  } catch (const Json::parse_error& error) {
    throw InputError(
        {{path, "byte " + std::to_string(error.byte), "JSON", "a syntax error, or the file's early end"}});
  } catch (const Json::out_of_range&) {
    throw InputError({{path, "/", "numbers that fit", "one that is too large"}});
  }
}

}  // namespace spillway
