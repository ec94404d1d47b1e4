// Notes on a measured file, as JSON. Three documents have them.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "traces/files/note.h"

namespace spillway {

inline nlohmann::ordered_json notes_json(const std::vector<Note>& notes) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const Note& note : notes) all.push_back(to_string(note));
  return all;
}

}  // namespace spillway
