#include "sweep/run/follow.h"

#include <iterator>
#include <thread>
#include <utility>

#include "sweep/run/fault.h"

namespace spillway {
namespace {

constexpr std::chrono::milliseconds kAheadOfFollower{50};  // of work that waits for the threads

}  // namespace

FollowRound::FollowRound(Mailbox& mail, std::size_t round, unsigned jobs, const Compute& compute,
                         const Patience& patience)
    : mail_(mail), round_(round), patience_(patience), team_(jobs, compute) {}

bool FollowRound::run() {
  while (!end_ && !signals_.arrived()) step();
  request_stop();
  team_.stop();
  while (!team_.ended()) step();
  report();
  mail_.send(0, kLeft, round_text(round_));
  if (signals_.arrived()) throw Interrupted();
  return end_->complete;
}

void FollowRound::step() {
  if (team_.ended()) std::this_thread::sleep_for(kTick);
  auto finished = team_.take(kTick);
  std::move(finished.begin(), finished.end(), std::back_inserter(report_.finished));
  while (const auto letter = mail_.receive()) read(*letter);
  keep_vigil();
  tell_of_fault();
  const std::size_t wanted = team_.short_of(kAheadOfFollower);
  if (!has_asked_ && wanted > team_.waiting()) report_.wanted = wanted;
  if (is_report_due()) report();
}

void FollowRound::keep_vigil() {
  const auto patience = is_led_ ? patience_.in_a_round : patience_.otherwise;
  if (vigil_.silence() > patience) throw LeaderLost(patience);
}

void FollowRound::read(const Letter& letter) {
  vigil_.hear();
  if (letter.kind == kHere) is_led_ = round_of(letter.text) == round_;
  if (letter.kind == kEndOfRound) end_ = end_from(letter.text);
  if (letter.kind == kEndOfJob) end_ = EndOfRound{round_, false};
  is_end_without_mpi_ = is_end_without_mpi_ || letter.kind == kEndWithoutMpi;
  if (letter.kind != kPoints) return;
  team_.give(points_from(letter.text));
  has_asked_ = false;
}

void FollowRound::tell_of_fault() {
  const auto fault = team_.fault();
  if (!fault || has_told_) return;
  mail_.send(0, kFault, round_text(round_, fault_bytes(fault)));
  has_told_ = true;
}

bool FollowRound::is_report_due() const {
  const auto silent = Clock::now() - reported_;
  return report_.wanted > 0 || silent >= kHeartbeat || (!report_.finished.empty() && silent >= kReportEvery);
}

void FollowRound::report() {
  has_asked_ = has_asked_ || report_.wanted > 0;
  mail_.send(0, kReport, report_text(round_, std::exchange(report_, {})));
  reported_ = Clock::now();
}

}  // namespace spillway
