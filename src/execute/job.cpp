#include "execute/job.h"

#include <mpi.h>

#include <utility>

#include "base/memory.h"
#include "base/text.h"
#include "execute/board.h"
#include "execute/buffers.h"
#include "execute/clock.h"
#include "execute/player.h"
#include "execute/watch.h"
#include "execute/wires.h"
#include "sweep/run/ranks.h"

namespace spillway {
namespace {

constexpr Seconds kBeforeStart = milliseconds(50);  // for the last rank to hear of it
constexpr int kTimesOfAction = 4;

static_assert(sizeof(ActionTimes) == kTimesOfAction * sizeof(double), "times are gathered as doubles");

int processes() {
  int count = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &count);
  return count;
}

int own_process() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

int processes_here() {
  MPI_Comm here;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
  int count = 0;
  MPI_Comm_size(here, &count);
  MPI_Comm_free(&here);
  return count;
}

std::vector<Violation> check_processes(const Program& program, const std::string& file) {
  const std::size_t needed = program.programs.size();
  const auto started = static_cast<std::size_t>(processes());
  if (started != needed)
    return {{"", "/programs",
             std::to_string(needed) + (needed == 1 ? " process" : " processes") + " (mpirun -n " +
                 std::to_string(needed) + " spillway execute " + file +
                 "; with fewer cores, mpirun needs --oversubscribe)",
             std::to_string(started) + " started"}};
  const int here = processes_here();
  int least = 0;
  MPI_Allreduce(&here, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (static_cast<std::size_t>(least) < needed)
    return {{"", "/programs", "all processes on one machine, whose clock they share",
             "a machine with " + std::to_string(least) + " of " + std::to_string(needed)}};
  return {};
}

// Brings the times of all ranks to rank 0.
std::vector<std::vector<ActionTimes>> gathered(const Program& program, const std::vector<ActionTimes>& own) {
  std::vector<int> counts, places;
  int all = 0;
  for (const RankProgram& of : program.programs) {
    counts.push_back(static_cast<int>(of.actions.size()) * kTimesOfAction);
    places.push_back(all);
    all += counts.back();
  }
  const bool first = own_process() == 0;
  std::vector<ActionTimes> flat(first ? static_cast<std::size_t>(all / kTimesOfAction) : 0);
  MPI_Gatherv(own.data(), static_cast<int>(own.size()) * kTimesOfAction, MPI_DOUBLE, flat.data(),
              counts.data(), places.data(), MPI_DOUBLE, 0, MPI_COMM_WORLD);
  std::vector<std::vector<ActionTimes>> ranks;
  for (std::size_t rank = 0; first && rank < counts.size(); ++rank) {
    const auto begin = flat.begin() + places[rank] / kTimesOfAction;
    ranks.emplace_back(begin, begin + counts[rank] / kTimesOfAction);
  }
  return ranks;
}

Seconds last_end(const std::vector<std::vector<ActionTimes>>& ranks) {
  Seconds last;
  for (const auto& rank : ranks)
    if (!rank.empty()) last = std::max(last, rank.back().end);
  return last;
}

}  // namespace

PlayJob::PlayJob(SayText say) : say_(std::move(say)), deadline_(say_) {
  set_open_mpi();
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  deadline_.busy_until(now());
}

PlayJob::~PlayJob() {
  deadline_.busy_until(now());
  MPI_Finalize();
}

bool PlayJob::is_first() const {
  return own_process() == 0;
}

std::vector<Violation> PlayJob::check(const Program& program, const std::string& file) const {
  std::vector<Violation> violations = check_processes(program, file);
  if (violations.empty()) violations = check_sizes(program);
  if (violations.empty()) violations = check_buffers(program, machine_memory());
  return located(std::move(violations), file, "");
}

std::optional<PlayedProgram> PlayJob::play(const Program& program, const PlayOptions& options) {
  sleep_precisely();
  const Wires wires(program);
  Board board(wires.everyone(), deadline_);
  Watch watch(program, board, options.patience, is_first(), say_);
  Player player(program, static_cast<std::size_t>(own_process()), options.time_scale, wires, board, watch);
  PlayedProgram execution{options.time_scale, {}};
  for (std::uint32_t step = 0; step < options.steps; ++step) {
    const std::vector<ActionTimes> own = player.play(player.meet() + kBeforeStart);
    std::vector<std::vector<ActionTimes>> ranks = gathered(program, own);
    const Seconds length = last_end(ranks);
    execution.steps.push_back({length, std::move(ranks)});
  }
  if (!is_first()) return {};
  return execution;
}

}  // namespace spillway
