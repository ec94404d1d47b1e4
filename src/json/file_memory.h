// What files said when they were first opened, for documents that are read many times: a sweep reads its
// experiment at every point, and every time it names the same platform, architectures and traces.
//
//   FileMemory memory;
//   const Files files(memory);
//   read_experiment(place);  // Place::files: opens files through the memory
//   files.opened();          // what the experiment depends on besides its document
//
// Two layers: the text of a file by its path, and what a reader made of it by the reader's arguments. Every
// reader of a named file goes through both (named_file.h, text_file.h), so none opens one unnoticed.
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

// A text file, or why there is none.
struct FileText {
  std::optional<std::string> text;
  std::vector<Violation> violations = {};
  bool missing = false;                   // there is nothing of that name
  std::vector<std::string> remarks = {};  // on what was not read: sentences without a full stop
};

// The file at a path, read now.
using LoadFile = FileText (*)(const std::string& path);

// For several threads, each with Files of its own.
class FileMemory {
 public:
  struct KnownText {
    std::shared_ptr<const FileText> file;
    Digest digest;
  };
  KnownText text(const std::string& path, LoadFile load);

  using Reading = std::shared_ptr<const std::any>;
  Reading find(const std::string& path, const std::function<bool(const std::any&)>& is_it);
  Reading keep(const std::string& path, std::any reading);

 private:
  std::mutex mutex_;
  std::unordered_map<std::string, KnownText> texts_;
  std::unordered_map<std::string, std::deque<Reading>> readings_;  // the latest ones of each path
};

// The files that one reading opens.
class Files {
 public:
  Files() : own_(std::make_unique<FileMemory>()), memory_(*own_) {}
  explicit Files(FileMemory& memory) : memory_(memory) {}

  std::shared_ptr<const FileText> text(const std::string& path, LoadFile load) const;

  // reader(path, arguments..., files), or what that made or threw before. Contract: it opens files through
  // the Files that it is given, and nothing else decides what it makes; equal arguments are equal under ==.
  template <class Reader, class... Arguments>
  auto read(Reader reader, const std::string& path, const Arguments&... arguments) const;

  // The content of every file that was looked for, in that order; for a missing one, what was said of it.
  // With the document that was read they say all that the reading depended on: which file is opened next
  // follows from the document and the files before.
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
