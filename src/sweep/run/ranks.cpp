#include "sweep/run/ranks.h"

#include <mpi.h>
#include <stdlib.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <thread>

#include "base/error.h"
#include "base/number.h"
#include "sweep/run/follower.h"
#include "sweep/run/letters.h"
#include "sweep/run/mailbox.h"
#include "sweep/run/rounds.h"
#include "sweep/run/vigil.h"

namespace spillway {
namespace {

constexpr std::chrono::seconds kForLastLetters{2};  // to leave
constexpr std::chrono::seconds kForRank0{5};        // to end the job

// What the launchers say of the number of ranks: OpenMPI's mpirun; PMI (MPICH's, Slurm's srun --mpi=pmi2);
// Slurm's srun --mpi=pmix, which names a rank, and the number of tasks as every srun does.
bool is_more_than_one(const char* variable) {
  const char* text = std::getenv(variable);
  return text != nullptr && number_from<unsigned>(text).value_or(1) > 1;
}

// What OpenMPI would say on the terminal, or refuse in a container, unless the user says otherwise: processes
// are forked here, and only ones that leave MPI alone; ranks copy through shared memory, not out of each
// other's, which needs a right to trace them.
void set_open_mpi() {
  setenv("OMPI_MCA_mpi_warn_on_fork", "0", 0);
  setenv("OMPI_MCA_btl_base_warn_component_unused", "0", 0);
  setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "none", 0);
}

// Where a rank is lost: the barrier in MPI_Finalize would wait for it for ever. No other rank may be in that
// barrier by then, or OpenMPI's mpirun (4.1.4) now and then crashes or hangs once the job is aborted.
// `least`: the status at least.
void end_job_at_exit(int least) {
  static int least_status = 0;
  least_status = least;
  on_exit(
      [](int status, void*) {
        std::cout.flush();
        std::fflush(nullptr);
        MPI_Abort(MPI_COMM_WORLD, std::max(status, least_status));
      },
      nullptr);
}

}  // namespace

bool is_launched_on_ranks() {
  if (is_more_than_one("OMPI_COMM_WORLD_SIZE") || is_more_than_one("PMI_SIZE")) return true;
  return std::getenv("PMIX_RANK") != nullptr && is_more_than_one("SLURM_NTASKS");
}

bool is_launched_first() {
  for (const char* rank : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"})
    if (const char* text = std::getenv(rank); text && number_from<unsigned>(text).value_or(0) > 0)
      return false;
  return true;
}

class RankedJob::State {
 public:
  explicit State(const Patience& patience)
      : patience_(patience), followers_(static_cast<std::size_t>(mail_.ranks())) {}

  bool is_first() const { return mail_.rank() == 0; }

  void lead(const std::vector<std::size_t>& points, unsigned jobs, const Compute& compute, const Keep& keep) {
    LeadRound(mail_, followers_, ++round_, points, jobs, compute, keep).run();
  }

  bool follow(unsigned jobs, const Compute& compute) {
    FollowRound round(mail_, ++round_, jobs, compute, patience_);
    try {
      const bool complete = round.run();
      is_end_without_mpi_ = round.is_end_without_mpi();
      return complete;
    } catch (const LeaderLost&) {
      is_leader_lost_ = true;
      throw;
    }
  }

  bool was_told_to_end() const { return is_end_without_mpi_; }

  // True where all ranks are there to end MPI together.
  bool end() { return is_first() ? send_all_home() : wait_to_be_sent_home(); }

 private:
  bool send_all_home() {
    send_to_others(kEndOfJob);
    for (Follower& follower : followers_)
      if (!follower.lost) follower.hear();
    while (!all_gone_or_lost()) wait_for_letters();
    const bool all_there =
        std::none_of(followers_.begin(), followers_.end(), [](const Follower& f) { return f.lost; });
    send_to_others(all_there ? kEndOfMpi : kEndWithoutMpi);
    // What is sent to a rank that is lost may never be taken.
    const auto until = all_there ? Vigil::Clock::time_point::max() : Vigil::Clock::now() + kForLastLetters;
    while (!mail_.all_sent() && Vigil::Clock::now() < until) std::this_thread::sleep_for(kTick);
    return all_there;
  }

  void send_to_others(LetterKind kind) {
    for (int rank = 1; rank < mail_.ranks(); ++rank) mail_.send(rank, kind, {});
  }

  bool all_gone_or_lost() {
    bool all = true;
    for (std::size_t rank = 1; rank < followers_.size(); ++rank) {
      followers_[rank].falls_silent();
      all = all && (followers_[rank].gone || followers_[rank].lost);
    }
    return all;
  }

  // Where another rank is lost, rank 0's exit ends this one; but mpirun, where it lets ranks be lost
  // (--enable-recovery), now and then leaves the others running, which then end by themselves.
  bool wait_to_be_sent_home() {
    if (is_leader_lost_) return false;
    mail_.send(0, kGone, {});
    Vigil vigil;
    while (!is_end_of_mpi_ && !is_end_without_mpi_ && vigil.silence() < patience_.otherwise)
      wait_for_letters();
    if (is_end_without_mpi_) std::this_thread::sleep_for(kForRank0);
    return is_end_of_mpi_;
  }

  void wait_for_letters() {
    while (const auto letter = mail_.receive()) {
      Follower& sender = followers_[static_cast<std::size_t>(letter->from)];
      sender.hear();
      sender.gone = sender.gone || letter->kind == kGone;
      is_end_of_mpi_ = is_end_of_mpi_ || letter->kind == kEndOfMpi;
      is_end_without_mpi_ = is_end_without_mpi_ || letter->kind == kEndWithoutMpi;
    }
    std::this_thread::sleep_for(kTick);
  }

  const Patience patience_;
  Mailbox mail_;
  std::vector<Follower> followers_;  // by rank; of use on rank 0
  std::size_t round_ = 0;
  bool is_end_of_mpi_ = false;       // rank 0 said so
  bool is_end_without_mpi_ = false;  // likewise: a rank is lost, and it ends the job
  bool is_leader_lost_ = false;
};

RankedJob::RankedJob(const Patience& patience) {
  set_open_mpi();
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  state_ = std::make_unique<State>(patience);
}

RankedJob::~RankedJob() {
  if (state_->end())
    MPI_Finalize();
  else
    end_job_at_exit(is_first() || state_->was_told_to_end() ? 0 : 1);
}

bool RankedJob::is_first() const {
  return state_->is_first();
}

void RankedJob::lead(const std::vector<std::size_t>& points, unsigned jobs, const Compute& compute,
                     const Keep& keep) {
  ensure(is_first(), "rank 0 leads");
  state_->lead(points, jobs, compute, keep);
}

bool RankedJob::follow(unsigned jobs, const Compute& compute) {
  ensure(!is_first() && jobs > 0, "ranks other than 0 follow, each with at least one thread");
  return state_->follow(jobs, compute);
}

}  // namespace spillway
