// The place of a document that a caller passes: a file, or a text that is in no file.
#pragma once

#include <optional>
#include <string>
#include <utility>

namespace spillway {

struct Source {
  Source(std::string path) : file(std::move(path)) {}
  Source(const char* path) : file(path) {}
  // Messages call the text `name`; paths in the text are relative to the folder of `name`.
  Source(std::string name, std::string its_text) : file(std::move(name)), text(std::move(its_text)) {}

  std::string file;
  std::optional<std::string> text = {};  // none: it is in the file
};

}  // namespace spillway
