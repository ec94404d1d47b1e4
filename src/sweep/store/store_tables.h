// The tables of a store besides its outcomes. Private to src/sweep/store.
#pragma once

#include <SQLiteCpp/Database.h>

#include <string>
#include <string_view>
#include <vector>

#include "sweep/store/result_store.h"

namespace spillway {

// Contract: the database is empty.
void write_tables(SQLite::Database& database, const SweepHeading& heading,
                  const std::vector<GridPoint>& grid);

// Throws InputError if the database is no store in this format, or if its heading or grid is damaged.
SweepHeading read_heading(const SQLite::Database& database, const std::string& path);

// Converts JSON texts to a JSON list and back, without changing a byte.
std::string json_list(const std::vector<std::string>& elements);
std::vector<std::string> json_elements(std::string_view list);

}  // namespace spillway
