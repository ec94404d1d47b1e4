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

constexpr std::chrono::seconds kForLastLetters{2};  // for the last letters to leave
constexpr std::chrono::seconds kForRank0{5};        // for rank 0 to end the job

// Launchers state the number of ranks in the environment. These are OpenMPI's mpirun; PMI (MPICH, and Slurm's
// srun --mpi=pmi2); and Slurm's srun --mpi=pmix, which sets PMIX_RANK beside srun's usual number of tasks.
bool is_more_than_one(const char* variable) {
  const char* text = std::getenv(variable);
  return text != nullptr && number_from<unsigned>(text).value_or(1) > 1;
}

// Ends the job by MPI_Abort if a rank is lost, because the barrier in MPI_Finalize would wait for that rank
// forever. No other rank may be in that barrier by then: OpenMPI's mpirun (4.1.4) sometimes crashes or hangs
// when such a job is aborted. `least` is the lowest status.
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

void set_open_mpi() {
  setenv("OMPI_MCA_mpi_warn_on_fork", "0", 0);
  setenv("OMPI_MCA_btl_base_warn_component_unused", "0", 0);
  setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "none", 0);
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

  // Returns true if all ranks are there to end MPI together.
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
    // A lost rank may never take what is sent to it.
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

  // If another rank is lost, the exit of rank 0 ends this process. But mpirun with --enable-recovery
  // sometimes leaves the other ranks running. They then end by themselves.
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
  std::vector<Follower> followers_;  // by rank; used on rank 0
  std::size_t round_ = 0;
  bool is_end_of_mpi_ = false;       // rank 0 said so
  bool is_end_without_mpi_ = false;  // rank 0 said that a rank is lost and that it ends the job
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
