// What rank 0 and the others write to each other.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "sweep/run/workers.h"

namespace spillway {

struct Letter {
  int from = 0;  // rank
  int kind = 0;
  std::string text = {};
};

enum LetterKind : int {
  // To rank 0, each with the number of its round first.
  kReport,  // outcomes, perhaps none, and how many points it wants
  kFault,   // what `compute` threw
  kLeft,    // the rank's last letter of this round
  kGone,    // its last letter at all
  // From rank 0.
  kPoints,
  kEndOfRound,
  kEndOfJob,
  kEndOfMpi,       // all ranks are there to end it
  kEndWithoutMpi,  // one is lost: each ends by itself
  kHere,           // it is alive, with the number of its round
};

// A rank writes at least this often while it follows, or leads a round.
inline constexpr std::chrono::milliseconds kHeartbeat{500};
// One that has been silent for so long is taken to be lost.
inline constexpr std::chrono::seconds kSilence{10};
// How long outcomes wait for others to travel with, and how often letters are looked for.
inline constexpr std::chrono::milliseconds kReportEvery{50}, kTick{2};

struct Report {
  std::size_t wanted = 0;  // points
  std::vector<FinishedPoint> finished = {};
};

struct EndOfRound {
  std::size_t round = 0;
  bool complete = true;  // every point is computed; else the job ends here
};

std::string report_text(std::size_t round, const Report& report);
Report report_from(std::string_view text);  // without its round
std::string points_text(const std::vector<std::size_t>& points);
std::vector<std::size_t> points_from(std::string_view text);
std::string end_text(const EndOfRound& end);
EndOfRound end_from(std::string_view text);

// Letters of a round that say nothing, or bytes of another kind.
std::string round_text(std::size_t round, std::string_view content = {});
std::size_t round_of(std::string_view text);
std::string_view after_round(std::string_view text);

}  // namespace spillway
