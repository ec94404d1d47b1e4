// Plays programs on the processes of an MPI job, all on one machine: real messages of real sizes, computing
// as timed waits.
//
// Idea: a rank executes its actions in their order. A compute sleeps until `seconds` x the time scale have
// passed. A message moves its bytes through MPI, and arrives no earlier than the platform would deliver it.
// So the predicted network is played, the bytes are real, and order and blocking are those of the program.
//
// Example: mpirun -n 4 spillway execute program.json
//
// Cost: every wait sleeps between looks at its messages, so that many ranks run on few cores. Each action is
// late by the sleep's and the scheduler's delay, about 0.1 ms on an idle machine. Tests: tests/execute.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "execute/deadline.h"
#include "execute/execution.h"
#include "program/program.h"

namespace spillway {

struct PlayOptions {
  double time_scale = 1;    // of computing and of the predicted network
  std::uint32_t steps = 1;  // played one after the other
  Seconds patience{10};     // how long no rank may move before the job is ended
};

// MPI runs while this object lives. A process has at most one, and none beside a RankedJob.
class PlayJob {
 public:
  // `say` prints why the job is ended.
  explicit PlayJob(SayText say);
  ~PlayJob();
  PlayJob(const PlayJob&) = delete;
  PlayJob& operator=(const PlayJob&) = delete;

  bool is_first() const;  // rank 0

  // Returns what keeps the job from playing the program: another number of processes, several machines, sizes
  // that are not known, buffers that do not fit in the memory. The same on all ranks; pointers are of the
  // program's document. `file`: as the user wrote it.
  std::vector<Violation> check(const Program& program, const std::string& file) const;

  // All ranks call it with the same program. Returns the times on rank 0. If no rank moves for the patience
  // beyond its pass, prints each rank's action and ends the job: with status 4 if all processes run, so that
  // the program blocks for ever, else with kSilentStatus. Contract: check finds nothing.
  std::optional<PlayedProgram> play(const Program& program, const PlayOptions& options);

 private:
  SayText say_;
  Deadline deadline_;
};

}  // namespace spillway
