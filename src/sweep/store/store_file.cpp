#include "sweep/store/store_file.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cstdio>

#include "base/files.h"
#include "base/passing_file.h"
#include "sweep/store/store_errors.h"

namespace spillway {
namespace {

std::string log_of(const std::string& path) {
  return path + "-wal";
}

bool has_log(const std::string& path) {
  return size_of_file(log_of(path)) > 0;
}

// SQLite has special names. No absolute path looks like one.
std::string absolute(const std::string& path) {
  return absolute_path(path).string();
}

// The name of the file must survive a power cut, too.
void synchronize_folder_of(const std::string& path) {
  const int folder = ::open(absolute_path(path).parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  ::fsync(folder);
  ::close(folder);
}

// Looks for the log first: a process that makes a store puts the store in place before its log.
void refuse_orphaned_log(const std::string& path) {
  if (has_log(path) && !is_there(path))
    refuse_store(path, "no log of a missing store",
                 log_of(path) + ": remove it, or restore its store beside it");
}

// Says what is at the path if it cannot be a store.
void refuse_what_is_no_file(const std::string& path) {
  if (is_folder(path) || is_special(path)) refuse_store(path, "a results store", "no regular file");
  if (!is_plain_file(path)) refuse_store(path, "a results store", why_not_there(path));
  if (size_of_file(path) == 0) refuse_store(path, "a results store", "an empty file");
}

// SQLite opens a database without reading it.
void read_something(SQLite::Database& database) {
  SQLite::Statement(database, "SELECT count(*) FROM sqlite_schema").executeStep();
}

SQLite::Database connect(const std::string& name, int flags, std::chrono::milliseconds patience) {
  return SQLite::Database(name, flags, static_cast<int>(patience.count()));
}

// Writes the path as an SQLite URI. Only the plainest characters are not percent-encoded.
std::string uri_of(const std::string& path) {
  std::string uri = "file:";
  for (const char c : absolute(path)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '/' && c <= '9');
    char numbered[4];
    std::snprintf(numbered, sizeof numbered, "%%%02X", static_cast<unsigned>(static_cast<unsigned char>(c)));
    uri += plain ? std::string(1, c) : numbered;
  }
  return uri;
}

SQLite::Database connect_to_read(const std::string& path, std::chrono::milliseconds patience) {
  const bool keeps_log = has_log(path);
  SQLite::Database database = connect(absolute(path), SQLite::OPEN_READWRITE, patience);
  if (keeps_log) sqlite3_db_config(database.getHandle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  read_something(database);
  database.exec("PRAGMA query_only = ON");
  return database;
}

bool wants_to_write(const SQLite::Exception& error) {
  return error.getErrorCode() == SQLITE_CANTOPEN || error.getErrorCode() == SQLITE_READONLY;
}

// If not even the locks of readers can be kept, there is no writer either.
SQLite::Database connect_without_locks(const std::string& path) {
  if (has_log(path))
    refuse_store(path, "a store in a folder that can be written, since it has a log",
                 log_of(path) + ": copy both files to a folder that can be written");
  SQLite::Database database(uri_of(path) + "?immutable=1", SQLite::OPEN_READONLY | SQLite::OPEN_URI);
  read_something(database);
  return database;
}

}  // namespace

bool place_database(const std::string& path, const std::function<void(SQLite::Database&)>& fill) {
  refuse_orphaned_log(path);
  if (is_taken(path)) return false;
  const PassingFile file(path);
  on_store(path, [&] {
    SQLite::Database database(file.name(), SQLite::OPEN_READWRITE);
    database.exec("PRAGMA journal_mode = MEMORY");  // an interrupted file is discarded
    fill(database);
    database.exec("PRAGMA journal_mode = WAL");
  });
  if (!file.put_where_free()) return false;
  synchronize_folder_of(path);
  return true;
}

SQLite::Database open_database(const std::string& path, std::chrono::milliseconds patience) {
  refuse_what_is_no_file(path);
  return on_store(path, [&] {
    SQLite::Database database = connect(absolute(path), SQLite::OPEN_READWRITE, patience);
    read_something(database);
    return database;
  });
}

SQLite::Database open_database_to_read(const std::string& path, std::chrono::milliseconds patience) {
  refuse_what_is_no_file(path);
  return on_store(path, [&] {
    try {
      return connect_to_read(path, patience);
    } catch (const SQLite::Exception& error) {
      if (!wants_to_write(error)) throw;
      return connect_without_locks(path);
    }
  });
}

}  // namespace spillway
