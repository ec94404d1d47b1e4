#include "base/files.h"

#include <algorithm>

#include "base/error.h"

namespace spillway {

namespace fs = std::filesystem;

namespace {

fs::file_type type_of(const fs::path& path) {
  std::error_code error;
  return fs::status(path, error).type();
}

}  // namespace

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

bool is_missing(const fs::path& path) {
  return type_of(path) == fs::file_type::not_found;
}

bool is_folder(const fs::path& path) {
  return type_of(path) == fs::file_type::directory;
}

bool is_plain_file(const fs::path& path) {
  return type_of(path) == fs::file_type::regular;
}

bool is_special(const fs::path& path) {
  std::error_code error;
  return fs::is_other(path, error);
}

bool is_link(const fs::path& path) {
  std::error_code error;
  return fs::is_symlink(path, error);
}

bool is_taken(const fs::path& path) {
  std::error_code error;
  const fs::file_type type = fs::symlink_status(path, error).type();
  return type != fs::file_type::not_found && type != fs::file_type::none;
}

std::string why_not_there(const fs::path& path) {
  std::error_code error;
  if (fs::exists(path, error)) return "something else";
  return error ? error.message() : "no such file";
}

std::uintmax_t size_of_file(const fs::path& path) {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(path, error);
  return error ? 0 : size;
}

fs::path absolute_path(const fs::path& path) {
  std::error_code error;
  const fs::path whole = fs::absolute(path, error);
  return error ? path : whole;
}

fs::path canonical_path(const fs::path& path) {
  std::error_code error;
  const fs::path whole = fs::weakly_canonical(path, error);
  return error ? absolute_path(path).lexically_normal() : whole;
}

std::vector<fs::path> entries_of(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    entries.push_back(entry->path());
  if (error) throw InputError({{folder.string(), "/", "a folder that can be read", error.message()}});
  std::sort(entries.begin(), entries.end());
  return entries;
}

std::error_code make_folders(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  return error;
}

std::error_code rename_file(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::rename(from, to, error);
  return error;
}

void remove_file(const fs::path& path) {
  std::error_code error;
  fs::remove(path, error);
}

}  // namespace spillway
