#include "sweep/store/store_errors.h"

#include <sqlite3.h>

#include "base/error.h"

namespace spillway {
namespace {

// Returns true if the disk causes the error: it is full, over a quota, or at the limit of a file's size.
bool refuses_more(const SQLite::Exception& error) {
  switch (error.getExtendedErrorCode()) {
    case SQLITE_IOERR_WRITE:
    case SQLITE_IOERR_FSYNC:
    case SQLITE_IOERR_TRUNCATE:
    case SQLITE_IOERR_SHMSIZE:
      return true;
    default:
      return error.getErrorCode() == SQLITE_FULL;
  }
}

[[noreturn]] void refuse_full(const std::string& path, const std::string& error) {
  refuse_store(path, "a disk with room for the store",
               error + "; all points stored before are kept; make room and continue with --resume");
}

}  // namespace

void refuse_store(const std::string& path, const std::string& expected, const std::string& found) {
  throw InputError({{path, "/", expected, found}});
}

void refuse_locked(const std::string& path) {
  refuse_store(
      path, "a store that no other process keeps locked",
      "one that another process keeps locked: wait for that process or end it, then continue with --resume");
}

void refuse_damaged(const std::string& path, const std::string& damage) {
  refuse_store(path, "a whole results store",
               "a damaged one (" + damage + "): use an earlier copy, or start again with another --out");
}

void refuse_store(const std::string& path, const SQLite::Exception& error) {
  if (refuses_more(error)) refuse_full(path, error.what());
  switch (error.getErrorCode()) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      refuse_locked(path);
    case SQLITE_NOTADB:
      refuse_store(path, "a results store", "a file of another kind");
    case SQLITE_CORRUPT:
      refuse_damaged(path, error.what());
    case SQLITE_READONLY:
    case SQLITE_PERM:
      refuse_store(path, "a store that can be written", error.what());
    default:
      refuse_store(path, "a results store that can be read and written", error.what());
  }
}

}  // namespace spillway
