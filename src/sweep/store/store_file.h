// The file of a store: how it comes to be, whole or not at all, and how it is opened. Private to
// src/sweep/store.
#pragma once

#include <SQLiteCpp/Database.h>

#include <chrono>
#include <functional>
#include <string>

namespace spillway {

// A new database with what `fill` puts there, in write-ahead mode, on the disk when this returns; false, and
// nothing changed, where there is a file already. Makes the folders on the way. Throws InputError where that
// cannot be, and where a log lies there whose database is gone: SQLite would take it for the new one's.
bool place_database(const std::string& path, const std::function<void(SQLite::Database&)>& fill);

// `patience`: how long any statement waits for others' locks. Throws InputError where there is no file, or
// none that SQLite reads.
SQLite::Database open_database(const std::string& path, std::chrono::milliseconds patience);

// Opens a store for reading alone: changes neither the file nor a log that a killed process left beside it.
// Works in a folder that cannot be written, too, unless such a log is there.
SQLite::Database open_database_to_read(const std::string& path, std::chrono::milliseconds patience);

}  // namespace spillway
