// Reads tables of measured operators.
//
// A table is CSV; the header names the columns and thus the kind of operator. Lines that begin with # are
// remarks.
//   m,n,k,time_us
//   groups,rows,n,k,time_us
//   causal,backward,batch,length,heads,key_value_heads,key_width,value_width,time_us
//   backward,batch,length,heads,key_width,value_width,time_us
// Rows are those of MeasuredGemm, MeasuredGroupedGemm, MeasuredAttention and MeasuredScan
// (platform/measured_operators.h).
// causal and backward are 0 or 1. Sizes are whole numbers from 1 to 1e9. rows is a multiple of groups, and
// heads a multiple of key_value_heads. A time is above 0 and at most 1e9 us.
#pragma once

#include <string>

#include "json/file_memory.h"
#include "platform/measured_operators.h"

namespace spillway {

// Adds the table in `path` to `tables`. The caller sets its source. Throws InputError with every violation,
// each with its line.
void read_operator_table(const std::string& path, OperatorTables& tables, const Files& files = {});

}  // namespace spillway
