// Makes and opens the file of a store. Private to src/sweep/store.
#pragma once

#include <SQLiteCpp/Database.h>

#include <chrono>
#include <functional>
#include <string>

namespace spillway {

// Makes a new database that `fill` fills, in write-ahead mode, and makes its folders. The file is on the disk
// on return. Returns false and changes nothing if the file exists. Throws InputError if the file cannot be
// made, or if a log of a missing database lies there: SQLite would take the log for the new database's.
bool place_database(const std::string& path, const std::function<void(SQLite::Database&)>& fill);

// `patience` is how long a statement waits for locks of others. Throws InputError if there is no file, or
// SQLite cannot read it.
SQLite::Database open_database(const std::string& path, std::chrono::milliseconds patience);

// Opens a store only for reading. Changes neither the file nor a log that a killed process left beside it.
// Works in a folder that cannot be written, unless such a log is there.
SQLite::Database open_database_to_read(const std::string& path, std::chrono::milliseconds patience);

}  // namespace spillway
