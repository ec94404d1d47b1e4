// What a store's tables hold besides outcomes. Private to src/sweep/store.
#pragma once

#include <SQLiteCpp/Database.h>

#include <string>
#include <string_view>
#include <vector>

#include "sweep/store/result_store.h"

namespace spillway {

// Into an empty database.
void write_tables(SQLite::Database& database, const SweepHeading& heading,
                  const std::vector<GridPoint>& grid);

// Throws InputError where the database is no store of this format, or its heading or grid are not as they
// were written.
SweepHeading read_heading(const SQLite::Database& database, const std::string& path);

// JSON texts as a JSON list of them, and back, each to the byte.
std::string json_list(const std::vector<std::string>& elements);
std::vector<std::string> json_elements(std::string_view list);

}  // namespace spillway
