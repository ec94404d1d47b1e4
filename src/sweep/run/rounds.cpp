#include "sweep/run/rounds.h"

#include <iterator>
#include <thread>
#include <utility>

#include "sweep/run/fault.h"

namespace spillway {
namespace {

constexpr std::chrono::milliseconds kAheadOfLead{20};      // of work that waits for the threads of rank 0
constexpr std::chrono::milliseconds kAheadOfFollower{50};  // the same on another rank

}  // namespace

LeadRound::LeadRound(Mailbox& mail, std::vector<Follower>& followers, std::size_t round,
                     const std::vector<std::size_t>& points, unsigned jobs, const Compute& compute,
                     const Keep& keep)
    : mail_(mail),
      followers_(followers),
      round_(round),
      handout_(points, followers.size()),
      keeper_(keep),
      team_(jobs, compute) {}

// A rank that left the last round early may already have sent letters of this one.
void LeadRound::begin_round() {
  for (Follower& follower : followers_) {
    follower.wanted = 0;
    follower.left = false;
    if (!follower.lost) follower.heard = std::chrono::steady_clock::now();
    for (const Letter& letter : std::exchange(follower.early, {})) read(letter);
  }
}

void LeadRound::run() {
  begin_round();
  while (goes_on()) {
    hand_out();
    step();
  }
  end_round();
  if (fault_) std::rethrow_exception(fault_);
  if (signals_.arrived()) throw Interrupted();
}

bool LeadRound::goes_on() const {
  return !handout_.finished() && !fault_ && !signals_.arrived();
}

// Still keeps the points that ranks and threads have begun.
void LeadRound::end_round() {
  const std::string end = end_text({round_, handout_.finished()});
  for (int rank = 1; rank < mail_.ranks(); ++rank) mail_.send(rank, kEndOfRound, end);
  request_stop();
  team_.stop();
  while (!team_.ended() || !all_left()) step();
  try {
    keeper_.flush();
  } catch (...) {
    if (!fault_) fault_ = std::current_exception();
  }
}

bool LeadRound::all_left() const {
  for (std::size_t rank = 1; rank < followers_.size(); ++rank)
    if (const Follower& follower = followers_[rank]; !follower.left && !follower.lost && !follower.gone)
      return false;
  return true;
}

void LeadRound::step() try {
  compute_here();
  read_letters();
  give_back_what_is_lost();
  show_life();
  if (!fault_) fault_ = team_.fault();
} catch (...) {
  if (!fault_) fault_ = std::current_exception();
}

void LeadRound::compute_here() {
  if (team_.ended()) std::this_thread::sleep_for(kTick);
  take_in(0, team_.take(kTick));
}

void LeadRound::read_letters() {
  while (const auto letter = mail_.receive()) read(*letter);
}

void LeadRound::read(const Letter& letter) {
  Follower& sender = followers_[static_cast<std::size_t>(letter.from)];
  sender.hear();
  if (letter.kind == kGone) sender.gone = true;
  if (letter.kind == kGone) handout_.lose(static_cast<std::size_t>(letter.from));
  if (letter.kind == kGone) return;
  const std::size_t round = round_of(letter.text);
  if (round > round_) sender.early.push_back(letter);
  if (round != round_) return;
  const std::string_view content = after_round(letter.text);
  if (letter.kind == kReport) read_report(letter.from, content);
  if (letter.kind == kFault) rethrow_fault(content);
  if (letter.kind != kLeft) return;
  sender.left = true;
  handout_.lose(static_cast<std::size_t>(letter.from));
}

void LeadRound::read_report(int from, std::string_view text) {
  Report report = report_from(text);
  const auto rank = static_cast<std::size_t>(from);
  if (report.wanted > 0) followers_[rank].wanted = report.wanted;
  take_in(rank, std::move(report.finished));
}

void LeadRound::take_in(std::size_t holder, std::vector<FinishedPoint> finished) {
  std::erase_if(finished, [&](const FinishedPoint& point) { return !handout_.finish(holder, point.point); });
  keeper_.add(std::move(finished));
}

void LeadRound::give_back_what_is_lost() {
  for (std::size_t rank = 1; rank < followers_.size(); ++rank)
    if (followers_[rank].falls_silent()) handout_.lose(rank);
}

void LeadRound::show_life() {
  const auto now = std::chrono::steady_clock::now();
  if (now - shown_ < kHeartbeat) return;
  shown_ = now;
  for (std::size_t rank = 1; rank < followers_.size(); ++rank)
    if (!followers_[rank].lost && !followers_[rank].gone)
      mail_.send(static_cast<int>(rank), kHere, round_text(round_));
}

void LeadRound::hand_out() {
  if (const std::size_t wanted = team_.short_of(kAheadOfLead); wanted > 0)
    team_.give(handout_.take(0, wanted));
  for (std::size_t rank = 1; rank < followers_.size(); ++rank) {
    Follower& follower = followers_[rank];
    if (!follower.takes_work()) continue;
    const auto points = handout_.take(rank, follower.wanted);
    if (points.empty()) return;
    mail_.send(static_cast<int>(rank), kPoints, points_text(points));
    follower.wanted = 0;
  }
}

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
