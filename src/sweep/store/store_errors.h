// SQLite's errors as errors of an input: what is wrong with the file, and what to do. Private to
// src/sweep/store.
#pragma once

#include <SQLiteCpp/Exception.h>

#include <string>

namespace spillway {

[[noreturn]] void refuse_store(const std::string& path, const std::string& expected,
                               const std::string& found);
[[noreturn]] void refuse_store(const std::string& path, const SQLite::Exception& error);
[[noreturn]] void refuse_damaged(const std::string& path, const std::string& damage);
[[noreturn]] void refuse_locked(const std::string& path);

// Returns what `work` returns. Turns an exception of SQLite into an InputError about the file.
template <class Work>
decltype(auto) on_store(const std::string& path, const Work& work) {
  try {
    return work();
  } catch (const SQLite::Exception& error) {
    refuse_store(path, error);
  }
}

}  // namespace spillway
