// Measured operator tables.
//
// CSV; the header names the columns and so says what was measured. Lines that begin with # are remarks.
//   m,n,k,time_us
//   groups,rows,n,k,time_us
//   causal,backward,batch,length,heads,key_value_heads,key_width,value_width,time_us
// Rows are those of MeasuredGemm, MeasuredGroupedGemm and MeasuredAttention (platform/measured_operators.h).
// causal and backward are 0 or 1; sizes are whole numbers from 1 to 1e9, rows a multiple of groups and heads
// of key_value_heads; a time is above 0 and at most 1e9 us.
#pragma once

#include <string>

#include "json/file_memory.h"
#include "platform/measured_operators.h"

namespace spillway {

// Adds the table in `path` to those that `tables` has; its source is left to the caller. Throws InputError
// with every violation, each with its line.
void read_operator_table(const std::string& path, OperatorTables& tables, const Files& files = {});

}  // namespace spillway
