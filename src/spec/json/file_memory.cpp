#include "spec/json/file_memory.h"

#include <algorithm>

namespace spillway {
namespace {

// Readings of one file under other arguments: as many as an axis that changes the platform is likely to have.
constexpr std::size_t kMostReadings = 256;

thread_local FileMemory::Use* innermost = nullptr;

Digest digest_of_file(const FileText& file) {
  std::string bytes = file.text ? "text\n" + *file.text : "none\n";
  for (const Violation& violation : file.violations)
    bytes += violation.pointer + '\n' + violation.expected + '\n' + violation.found + '\n';
  return digest_of(bytes);
}

}  // namespace

FileMemory::Use::Use(FileMemory& memory) : memory_(memory), outer_(innermost) {
  innermost = this;
}

FileMemory::Use::~Use() {
  innermost = outer_;
  if (outer_) outer_->opened_.insert(outer_->opened_.end(), opened_.begin(), opened_.end());
}

FileMemory::Use* FileMemory::current() {
  return innermost;
}

std::shared_ptr<const FileText> FileMemory::text(const std::string& path, LoadFile load) {
  Use* const use = current();
  if (!use) return std::make_shared<const FileText>(load(path));
  const KnownText known = use->memory_.known_text(path, load);
  use->opened_.push_back(known.digest);
  return known.file;
}

// Loaded under the lock, so that all threads see one state of the file.
FileMemory::KnownText FileMemory::known_text(const std::string& path, LoadFile load) {
  const std::lock_guard lock(mutex_);
  const auto known = texts_.find(path);
  if (known != texts_.end()) return known->second;
  const auto file = std::make_shared<const FileText>(load(path));
  return texts_.emplace(path, KnownText{file, digest_of_file(*file)}).first->second;
}

FileMemory::AnyReading FileMemory::find(const std::string& path,
                                        const std::function<bool(const std::any&)>& is_it) {
  const std::lock_guard lock(mutex_);
  const std::deque<AnyReading>& readings = readings_[path];
  const auto reading =
      std::find_if(readings.begin(), readings.end(), [&](const AnyReading& one) { return is_it(*one); });
  return reading == readings.end() ? nullptr : *reading;
}

FileMemory::AnyReading FileMemory::keep(const std::string& path, std::any reading) {
  auto kept = std::make_shared<const std::any>(std::move(reading));
  const std::lock_guard lock(mutex_);
  std::deque<AnyReading>& readings = readings_[path];
  if (readings.size() == kMostReadings) readings.pop_front();
  readings.push_back(kept);
  return kept;
}

void FileMemory::note(const std::vector<Digest>& opened) {
  innermost->opened_.insert(innermost->opened_.end(), opened.begin(), opened.end());
}

}  // namespace spillway
