#include "input/experiment/carried_along.h"

#include <string>

#include "base/text.h"
#include "json/settings.h"

namespace spillway {
namespace {

bool same_at(const Node& a, const Node& b, const std::string& pointer) {
  const Node *one = value_at(a, pointer), *other = value_at(b, pointer);
  return one && other ? *one == *other : one == other;
}

const List* list_at(const Node& document, const std::string& pointer) {
  const Node* node = value_at(document, pointer);
  return node ? std::get_if<List>(&node->value) : nullptr;
}

// Pointers of what blocks state of a machine, as written.
std::string stated_of_blocks(const Node& written, const Node& document) {
  const List* blocks = list_at(document, "/model/blocks");
  std::string pointers;
  for (std::size_t i = 0; blocks && i < blocks->size(); ++i)
    for (const char* key : {"/efficiency", "/fixed_ms"}) {
      const std::string pointer = "/model/blocks/" + std::to_string(i) + key;
      if (value_at(document, pointer) && same_at(written, document, pointer)) add_to_list(pointers, pointer);
    }
  return pointers;
}

}  // namespace

std::vector<Warning> carried_along(const Node& written, const Node& document) {
  if (!value_at(written, "/platform")) return {};
  const bool another = !same_at(written, document, "/platform");
  if (!another && same_at(written, document, "/platform_set")) return {};
  std::vector<Warning> warnings;
  const List* fits = list_at(document, "/fit");
  if (fits && !fits->empty() && same_at(written, document, "/fit"))
    warnings.push_back({"fit-carried-along",
                        "the platform is changed but /fit is kept: its parameters are fitted again, so the "
                        "step takes the time measured on the platform as written, whatever the new platform "
                        "is; set /fit=[] to keep the stated values"});
  const std::string stated = another ? stated_of_blocks(written, document) : "";
  if (!stated.empty())
    warnings.push_back(
        {"efficiency-carried-along",
         stated + " was stated for the platform as written, and is taken on this one in place of what "
                  "the platform says of itself"});
  return warnings;
}

}  // namespace spillway
