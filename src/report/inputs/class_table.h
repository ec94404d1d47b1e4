// Several tables of measured steps by class: tables for people, spillway/validation-tables/1 for programs.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "evaluate/case_classes.h"

namespace spillway {

// Writes one line for each class: its errors, its intervals, its memory and its ranking of layouts. Then it
// writes the runs whose memory is predicted wrongly, and the groups whose fastest layout is.
void write_classes(std::ostream& out, const std::vector<ValidatedCases>& tables);

// Returns the answer in a sentence.
std::string verdict(const std::vector<ValidatedCases>& tables);

// Returns one JSON document, ended by a newline, with the document of every table. The same tables give the
// same bytes.
std::string classes_json(const std::vector<ValidatedCases>& tables);

}  // namespace spillway
