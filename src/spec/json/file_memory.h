// What files said when they were first opened, for documents that are read many times: a sweep reads its
// experiment at every point, and every time it names the same platform, architectures and traces.
//
//   FileMemory memory;
//   {
//     const FileMemory::Use use(memory);  // this thread opens files through the memory
//     read_experiment(place);
//     use.opened();                       // what the experiment depends on besides its document
//   }
//
// Two layers: the text of a file by its path, and what a reader made of it by the reader's arguments. Every
// reader of a named file goes through both (named_file.h, text_file.h), so none opens one unnoticed. For
// several threads, each with a Use of its own.
#pragma once

#include <any>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.h"
#include "spec/json/content_digest.h"

namespace spillway {

// A text file, or why there is none.
struct FileText {
  std::optional<std::string> text;
  std::vector<Violation> violations = {};
  bool missing = false;  // there is nothing of that name
};

// The file at a path, read now.
using LoadFile = FileText (*)(const std::string& path);

class FileMemory {
 public:
  // They nest: an inner one has the files opened while it lived, and so has the outer one.
  class Use {
   public:
    explicit Use(FileMemory& memory);
    ~Use();
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

    // The content of every file that was looked for, in that order; for a missing one, what was said of it.
    // With the document that was read they say all that the reading depended on: which file is opened next
    // follows from the document and the files before.
    const std::vector<Digest>& opened() const { return opened_; }

   private:
    friend class FileMemory;
    FileMemory& memory_;
    Use* outer_;
    std::vector<Digest> opened_ = {};
  };

  // The file through the memory that this thread uses, or by `load` where it uses none.
  static std::shared_ptr<const FileText> text(const std::string& path, LoadFile load);

  // read(path, arguments...), or what that made or threw before. Contract: it opens files through text(), and
  // nothing else decides what it makes; equal arguments are equal under ==.
  template <class Value, class... Parameters, class... Arguments>
  static Value read(Value (*reader)(const std::string&, Parameters...), const std::string& path,
                    const Arguments&... arguments);

 private:
  struct KnownText {
    std::shared_ptr<const FileText> file;
    Digest digest;
  };
  template <class Value, class... Parameters>
  struct Reading {
    using Asked = std::tuple<std::decay_t<Parameters>...>;
    Value (*reader)(const std::string&, Parameters...);
    Asked arguments;
    std::variant<Value, std::vector<Violation>> outcome;
    std::vector<Digest> opened;
  };
  using AnyReading = std::shared_ptr<const std::any>;

  static Use* current();
  static void note(const std::vector<Digest>& opened);  // in the current Use
  // What the reader makes or throws, and what it opens meanwhile.
  template <class Value, class... Parameters>
  static Reading<Value, Parameters...> read_now(Value (*reader)(const std::string&, Parameters...),
                                                const std::string& path,
                                                const std::tuple<std::decay_t<Parameters>...>& asked);
  KnownText known_text(const std::string& path, LoadFile load);
  AnyReading find(const std::string& path, const std::function<bool(const std::any&)>& is_it);
  AnyReading keep(const std::string& path, std::any reading);

  std::mutex mutex_;
  std::unordered_map<std::string, KnownText> texts_;
  std::unordered_map<std::string, std::deque<AnyReading>> readings_;  // the latest ones of each path
};

template <class Value, class... Parameters, class... Arguments>
Value FileMemory::read(Value (*reader)(const std::string&, Parameters...), const std::string& path,
                       const Arguments&... arguments) {
  using ThisReading = Reading<Value, Parameters...>;
  if (!current()) return reader(path, arguments...);
  const typename ThisReading::Asked asked(arguments...);
  AnyReading known = current()->memory_.find(path, [&](const std::any& any) {
    const auto* reading = std::any_cast<ThisReading>(&any);
    return reading && reading->reader == reader && reading->arguments == asked;
  });
  if (known) {
    note(std::any_cast<const ThisReading&>(*known).opened);
  } else {
    known = current()->memory_.keep(path, std::any(read_now(reader, path, asked)));
  }
  const auto& outcome = std::any_cast<const ThisReading&>(*known).outcome;
  if (const auto* violations = std::get_if<std::vector<Violation>>(&outcome)) throw InputError(*violations);
  return std::get<Value>(outcome);
}

template <class Value, class... Parameters>
FileMemory::Reading<Value, Parameters...> FileMemory::read_now(
    Value (*reader)(const std::string&, Parameters...), const std::string& path,
    const std::tuple<std::decay_t<Parameters>...>& asked) {
  const Use use(current()->memory_);
  Reading<Value, Parameters...> reading{reader, asked, std::vector<Violation>{}, {}};
  try {
    reading.outcome = std::apply([&](const auto&... each) { return reader(path, each...); }, asked);
  } catch (const InputError& error) {
    reading.outcome = error.violations();
  }
  reading.opened = use.opened();
  return reading;
}

}  // namespace spillway
