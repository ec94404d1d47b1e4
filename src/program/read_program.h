// Reads spillway/program/1 (`spillway schema program`), the document that program_json.h in src/report/order
// writes: writing what was read gives the same bytes.
//
// The document is parsed from front to back, with one action as text in memory at a time, because a program
// of 512 ranks and 512 microbatches has 2.6 million actions and 400 MB. Keys may come in any order. The file
// may be gzipped.
//
// Every violation is reported with its JSON pointer: a value of a wrong kind; an unknown op, pass or key; an
// id that is given twice; a wait for something that its rank has not started; a message with one end, or
// with ends that disagree; tags out of order; stages, ranks, microbatches and groups that the program does
// not have. Messages and groups are compared if all actions could be read. Ranks may still wait for each
// other: deadlock.h decides that.
//
// Cost: linear in the text; an action takes 64 bytes. Tests: tests/program/read_program_test.cpp.
#pragma once

#include <string_view>

#include "json/source.h"
#include "program/program.h"

namespace spillway {

// Throws InputError.
Program read_program(const Source& source);

// Returns true if the text is the beginning of a program, of whatever version: it names the schema, or, where
// keys are sorted, actions come before.
bool begins_program(std::string_view text);

}  // namespace spillway
