// The letters between rank 0 and the other ranks.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "sweep/run/workers.h"

namespace spillway {

struct Letter {
  int from = 0;  // the other rank: the sender, or the receiver of a letter to be sent
  int kind = 0;
  std::string text = {};
};

enum LetterKind : int {
  // Letters to rank 0. Each begins with the number of its round.
  kReport,  // outcomes, maybe none, and the number of points that the rank wants
  kFault,   // the exception that `compute` threw
  kLeft,    // the last letter of the rank in this round
  kGone,    // the last letter of the rank
  // Letters from rank 0.
  kPoints,
  kEndOfRound,
  kEndOfJob,
  kEndOfMpi,       // all ranks are there to end MPI together
  kEndWithoutMpi,  // a rank is lost: each rank ends by itself
  kHere,           // rank 0 is alive; with the number of its round
};

// The longest pause between two letters of a rank that follows, or that leads a round.
inline constexpr std::chrono::milliseconds kHeartbeat{500};
// A rank that is silent for this long counts as lost.
inline constexpr std::chrono::seconds kSilence{10};
// kReportEvery: how long outcomes wait for others to travel with. kTick: how often a rank looks for letters.
inline constexpr std::chrono::milliseconds kReportEvery{50}, kTick{2};

struct Report {
  std::size_t wanted = 0;  // number of points
  std::vector<FinishedPoint> finished = {};
};

struct EndOfRound {
  std::size_t round = 0;
  bool complete = true;  // false: some points are not computed, and the job ends here
};

std::string report_text(std::size_t round, const Report& report);
Report report_from(std::string_view text);  // contract: `text` is without the number of its round
std::string points_text(const std::vector<std::size_t>& points);
std::vector<std::size_t> points_from(std::string_view text);
std::string end_text(const EndOfRound& end);
EndOfRound end_from(std::string_view text);

// A round's number, followed by the content of the letter.
std::string round_text(std::size_t round, std::string_view content = {});
std::size_t round_of(std::string_view text);
std::string_view after_round(std::string_view text);

}  // namespace spillway
