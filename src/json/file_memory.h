// A cache of file contents as first read, for documents that are read many times. A sweep reads its
// experiment at every point, and each time it names the same platform, architectures and traces.
//
//   FileMemory memory;
//   const Files files(memory);
//   read_experiment(place);  // Place::files: opens files through the memory
//   files.opened();          // what the experiment depends on besides its document
//
// The cache has two layers: the text of a file by its path, and the result of a reader by its arguments.
// Every reader of a named file uses both (named_file.h, text_file.h), so no file is opened unnoticed.
#pragma once

#include <any>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.h"
#include "json/content_digest.h"

namespace spillway {

// The text of a file, or the error.
struct FileText {
  std::optional<std::string> text;
  std::vector<Violation> violations = {};
  bool missing = false;                   // the path does not exist
  std::vector<std::string> remarks = {};  // on parts that were not read: sentences without a full stop
};

// Reads the file at a path, without the cache.
using LoadFile = FileText (*)(const std::string& path);

// Thread-safe; each thread has its own Files.
class FileMemory {
 public:
  struct KnownText {
    std::shared_ptr<const FileText> file;
    Digest digest;
  };
  KnownText text(const std::string& path, LoadFile load);
  // Remembers the text of a file that is not written yet. Contract: nobody has read the path.
  void put(const std::string& path, std::string text);

  using Reading = std::shared_ptr<const std::any>;
  Reading find(const std::string& path, const std::function<bool(const std::any&)>& is_it);
  Reading keep(const std::string& path, std::any reading);

 private:
  std::mutex mutex_;
  std::unordered_map<std::string, KnownText> texts_;
  std::unordered_map<std::string, std::deque<Reading>> readings_;  // by path: the latest readings
};

// The files that one reading of a document opens.
class Files {
 public:
  Files() : own_(std::make_unique<FileMemory>()), memory_(*own_) {}
  explicit Files(FileMemory& memory) : memory_(memory) {}

  std::shared_ptr<const FileText> text(const std::string& path, LoadFile load) const;

  // Returns reader(path, arguments..., files), or its earlier result or exception. Contract: the reader opens
  // files only through the given Files, and its result depends on nothing else; equal arguments compare equal
  // under ==.
  template <class Reader, class... Arguments>
  auto read(Reader reader, const std::string& path, const Arguments&... arguments) const;

  // Digests of every file that was looked for, in that order; for a missing file, of its error. Together with
  // the document they cover all inputs of the reading, because the document and the earlier files determine
  // the next file.
  const std::vector<Digest>& opened() const { return opened_; }

 private:
  template <class Reader, class Value, class... Arguments>
  struct Reading {
    Reader reader;
    std::tuple<Arguments...> arguments;
    std::variant<Value, std::vector<Violation>> outcome;
    std::vector<Digest> opened;
  };

  std::unique_ptr<FileMemory> own_;
  FileMemory& memory_;
  mutable std::vector<Digest> opened_;
};

template <class Reader, class... Arguments>
auto Files::read(Reader reader, const std::string& path, const Arguments&... arguments) const {
  using Value = decltype(reader(path, arguments..., *this));
  using ThisReading = Reading<Reader, Value, Arguments...>;
  const std::tuple<Arguments...> asked(arguments...);
  FileMemory::Reading known = memory_.find(path, [&](const std::any& any) {
    const auto* reading = std::any_cast<ThisReading>(&any);
    return reading && reading->reader == reader && reading->arguments == asked;
  });
  if (!known) {
    const Files inner(memory_);
    ThisReading reading{reader, asked, std::vector<Violation>{}, {}};
    try {
      reading.outcome = reader(path, arguments..., inner);
    } catch (const InputError& error) {
      reading.outcome = error.violations();
    }
    reading.opened = inner.opened();
    known = memory_.keep(path, std::any(std::move(reading)));
  }
  const auto& reading = std::any_cast<const ThisReading&>(*known);
  opened_.insert(opened_.end(), reading.opened.begin(), reading.opened.end());
  if (const auto* violations = std::get_if<std::vector<Violation>>(&reading.outcome))
    throw InputError(*violations);
  return std::get<Value>(reading.outcome);
}

}  // namespace spillway
