#include "api/long_runs.h"

#include <algorithm>
#include <exception>
#include <thread>

#include "base/error.h"
#include "base/files.h"

namespace spillway {

unsigned threads_of(unsigned asked, bool ranked) {
  if (asked > 0) return asked;
  return ranked ? 1 : std::max(1U, std::thread::hardware_concurrency());
}

void follow(RankedJob& ranks, unsigned jobs, const std::function<Compute()>& prepare) {
  Compute compute;
  try {
    compute = prepare();
  } catch (...) {
    compute = [unreadable = std::current_exception()](std::size_t) -> PointOutcome {
      std::rethrow_exception(unreadable);
    };
  }
  try {
    while (ranks.follow(threads_of(jobs, true), compute)) {
    }
  } catch (const Interrupted&) {
  }
}

ResultStore store_at(const std::string& path, bool resume, const SweepHeading& heading,
                     const std::vector<GridPoint>& grid) {
  if (resume) return ResultStore::resume(path, heading, grid);
  if (is_taken(path))
    throw InputError({{path, "/", "a new file, or --resume to continue a store",
                       is_folder(path) ? "a folder" : "a file"}});
  return ResultStore::create(path, heading, grid);
}

}  // namespace spillway
