// Finds the tables of nccl-tests and rccl-tests in a log, whatever stands around them. Private to src/traces.
//
// Launchers and collectors of logs put labels before a line: "[1,0]<stdout>:", " 3: ", a time, a pod's name.
// So the parts of a table are found by their words, anywhere in a line: the heading by its columns, a row by
// two numbers and a type, a device by "Rank 3 ... on HOST device". The "#" before them may be missing,
// because Markdown eats it. A label inside a row, and lines of the library that break a row, are taken out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/findings.h"
#include "traces/samples/message_rows.h"

namespace spillway {

struct NcclRow {
  std::size_t line;
  double bytes, time, algbw, busbw;  // time: in the unit of the program, microseconds or milliseconds
  double counted;                    // bytes of the `count` elements; 0 if that column is missing
};

// The output of one program.
struct NcclTest {
  std::size_t line = 0;  // where it begins
  MessageHeader header = {};
  std::string program = {};  // "all_reduce_perf", by the echoed command or the banner
  std::vector<NcclRow> rows = {};
  std::set<std::uint32_t> ranks = {};               // those that are listed
  std::map<std::string, std::uint32_t> hosts = {};  // with the number of their listed ranks
  std::size_t wrong = 0, empty = 0, broken = 0;     // rows with wrong results, without bytes, not whole
  bool repeats_ranks = false;                       // several programs printed at the same time
  bool heading = false;
  bool times_of_host = false;  // -C 1: the host's time to issue a call

  // Of all ranks, listed or not.
  std::uint32_t rank_count() const { return ranks.empty() ? 0 : *ranks.rbegin() + 1; }
  bool lists_all_ranks() const { return ranks.size() == rank_count(); }
};

// Returns the tests that have rows, or one without rows if none has. Refuses a row without a number where one
// belongs.
std::vector<NcclTest> read_nccl_log(const std::string& path, Findings& refused);

// Bytes of an element by the name of its type; 0 for any other word.
double bytes_of_type(std::string_view word);

// What the tests of a file state and measured (nccl_tests_text.cpp). Throws InputError.
Samples samples_of_tests(const std::string& path, const std::vector<NcclTest>& tests, const TimedGroup& given,
                         Findings& refused);

}  // namespace spillway
