// Files that a document names. Private to src/spec.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "spec/file_memory.h"
#include "spec/place.h"

namespace spillway {

// The path that a document's text names, relative to the document.
inline std::string beside(const std::string& document, const std::string& path) {
  return (std::filesystem::path(document).parent_path() / path).lexically_normal().string();
}

// The named file through `read`, which takes its path and the arguments, and the memory of files that the
// thread uses; what that throws joins what is wrong with the document.
template <class Value, class... Parameters, class... Arguments>
std::optional<Value> read_named_file(const Place& place, Value (*read)(const std::string&, Parameters...),
                                     const Arguments&... arguments) {
  const std::optional<std::string> path = read_text(place);
  if (!path) return std::nullopt;
  try {
    return FileMemory::read(read, beside(place.findings->file(), *path), arguments...);
  } catch (const InputError& error) {
    place.findings->add(error.violations());
    return std::nullopt;
  }
}

}  // namespace spillway
