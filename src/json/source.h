// Where a document that somebody hands over is: in a file, or in a text that no file holds.
#pragma once

#include <optional>
#include <string>
#include <utility>

namespace spillway {

struct Source {
  Source(std::string path) : file(std::move(path)) {}
  Source(const char* path) : file(path) {}
  // `name` is what messages call the text, and paths in it are relative to the name's folder.
  Source(std::string name, std::string its_text) : file(std::move(name)), text(std::move(its_text)) {}

  std::string file;
  std::optional<std::string> text = {};  // none: it is in the file
};

}  // namespace spillway
