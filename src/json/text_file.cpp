#include "json/text_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "base/files.h"
#include "base/utf8.h"
#include "json/file_memory.h"

namespace spillway {
namespace {

std::string hexadecimal(char byte) {
  char text[8];
  std::snprintf(text, sizeof text, "0x%02x", static_cast<unsigned>(static_cast<unsigned char>(byte)));
  return text;
}

std::optional<std::string> read_bytes(const std::string& path, Findings& findings, bool& missing) {
  if (is_folder(path)) {
    findings.add("", "a file", "a directory");
    return std::nullopt;
  }
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    missing = errno == ENOENT;
    findings.add("", "a readable file", std::strerror(errno == 0 ? EIO : errno));
    return std::nullopt;
  }
  std::string text;
  char block[1 << 16];
  while (text.size() <= kLargestFile && (file.read(block, sizeof block), file.gcount() > 0))
    text.append(block, static_cast<std::size_t>(file.gcount()));
  if (text.size() > kLargestFile) {
    findings.add("", "at most " + std::to_string(kLargestFile >> 20) + " MiB", "more");
    return std::nullopt;
  }
  return text;
}

std::optional<std::string> read_utf8(const std::string& path, Findings& findings, bool& missing) {
  std::optional<std::string> text = read_bytes(path, findings, missing);
  if (!text) return std::nullopt;
  if (const auto at = first_invalid_utf8(*text)) {
    findings.add("byte " + std::to_string(*at + 1), "UTF-8 text", "the byte " + hexadecimal((*text)[*at]));
    return std::nullopt;
  }
  if (text->starts_with(kByteOrderMark)) text->erase(0, kByteOrderMark.size());
  return text;
}

FileText load(const std::string& path) {
  Findings findings(path);
  FileText file;
  file.text = read_utf8(path, findings, file.missing);
  file.violations = findings.all();
  return file;
}

}  // namespace

std::optional<std::string> read_file(const std::string& path, Findings& findings, const Files& files) {
  const std::shared_ptr<const FileText> file = files.text(path, load);
  findings.add(file->violations);
  return file->text;
}

std::optional<std::string> read_file_if_any(const std::string& path, Findings& findings, const Files& files) {
  const std::shared_ptr<const FileText> file = files.text(path, load);
  if (!file->missing) findings.add(file->violations);
  return file->text;
}

}  // namespace spillway
