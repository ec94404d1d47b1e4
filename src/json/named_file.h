// Reads files that a document names.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/files.h"
#include "json/place.h"
#include "json/shipped_files.h"
#include "json/text_file.h"

namespace spillway {

// Resolves a path that a document names, relative to the document. It is the value of `key`, and may be the
// name of a shipped file.
inline std::string beside(const std::string& document, const std::string& path, std::string_view key = {}) {
  const std::string there =
      (std::filesystem::path(document).parent_path() / path).lexically_normal().string();
  return path.find('/') == std::string::npos ? shipped_or(there, key) : there;
}

// The last token of the place's pointer.
inline std::string_view key_of(const Place& place) {
  return std::string_view(place.pointer).substr(place.pointer.rfind('/') + 1);
}

// The resolved path that a text of a document names.
inline std::string path_named(const Place& place, const std::string& text) {
  return beside(place.node->from_user ? std::string() : place.findings->file(), text, key_of(place));
}

inline void refuse_missing(const Place& place) {
  const char* folder = place.node->from_user ? "the current folder" : "this file's folder";
  const auto* text = std::get_if<std::string>(&place.node->value);
  place.findings->add(place.pointer,
                      std::string("a readable file, its path relative to ") + folder +
                          (text ? or_the_shipped(*text, key_of(place)) : ""),
                      describe(*place.node) + ": No such file or directory");
}

// Returns true if the file is neither on disk nor among those that are not written yet (FileMemory::put).
inline bool is_nowhere(const std::string& path, const Files& files) {
  Findings ignored(path);
  return is_missing(path) && !read_file_if_any(path, ignored, files);
}

// Returns read(path, arguments..., files) for the named file. Violations that it throws are added to the
// document's findings. A missing file is a violation of the key that names it.
template <class Reader, class... Arguments>
auto read_named_file(const Place& place, Reader read, const Arguments&... arguments)
    -> std::optional<decltype(read(place.pointer, arguments..., *place.files))> {
  const std::optional<std::string> text = read_text(place);
  if (!text) return std::nullopt;
  const std::string path = path_named(place, *text);
  try {
    return place.files->read(read, path, arguments...);
  } catch (const InputError& error) {
    if (is_nowhere(path, *place.files))
      refuse_missing(place);
    else
      place.findings->add(error.violations());
    return std::nullopt;
  }
}

}  // namespace spillway
