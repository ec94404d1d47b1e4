#include "json/file_memory.h"

#include <algorithm>

namespace spillway {
namespace {

// The most readings of one file with different arguments: as many as an axis that changes the platform may
// have.
constexpr std::size_t kMostReadings = 256;

Digest digest_of_file(const FileText& file) {
  std::string bytes = file.text ? "text\n" + *file.text : "none\n";
  for (const Violation& violation : file.violations)
    bytes += violation.pointer + '\n' + violation.expected + '\n' + violation.found + '\n';
  for (const std::string& remark : file.remarks) bytes += "remark\n" + remark + '\n';
  return digest_of(bytes);
}

}  // namespace

// Loaded under the lock, so that all threads see one state of the file.
FileMemory::KnownText FileMemory::text(const std::string& path, LoadFile load) {
  const std::lock_guard lock(mutex_);
  const auto known = texts_.find(path);
  if (known != texts_.end()) return known->second;
  const auto file = std::make_shared<const FileText>(load(path));
  return texts_.emplace(path, KnownText{file, digest_of_file(*file)}).first->second;
}

void FileMemory::put(const std::string& path, std::string text) {
  const std::lock_guard lock(mutex_);
  const auto file = std::make_shared<const FileText>(FileText{std::move(text)});
  const bool is_new = texts_.emplace(path, KnownText{file, digest_of_file(*file)}).second;
  ensure(is_new, "a file that is not written yet has not been read");
}

FileMemory::Reading FileMemory::find(const std::string& path,
                                     const std::function<bool(const std::any&)>& is_it) {
  const std::lock_guard lock(mutex_);
  const std::deque<Reading>& readings = readings_[path];
  const auto reading =
      std::find_if(readings.begin(), readings.end(), [&](const Reading& one) { return is_it(*one); });
  return reading == readings.end() ? nullptr : *reading;
}

FileMemory::Reading FileMemory::keep(const std::string& path, std::any reading) {
  auto kept = std::make_shared<const std::any>(std::move(reading));
  const std::lock_guard lock(mutex_);
  std::deque<Reading>& readings = readings_[path];
  if (readings.size() == kMostReadings) readings.pop_front();
  readings.push_back(kept);
  return kept;
}

std::shared_ptr<const FileText> Files::text(const std::string& path, LoadFile load) const {
  const FileMemory::KnownText known = memory_.text(path, load);
  opened_.push_back(known.digest);
  return known.file;
}

}  // namespace spillway
