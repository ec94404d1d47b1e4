#include "traces/profile/job_kind.h"

#include <algorithm>
#include <set>
#include <string>

#include "base/text.h"

namespace spillway {
namespace job_kinds {
namespace {

bool found(const JobProfile& job, std::string_view what) {
  for (const ProfiledRank& rank : job.ranks)
    for (const Inferred& one : rank.inferences)
      if (one.what == what && one.confidence != Confidence::Missing) return true;
  return false;
}

Inferred about_kind(const JobProfile& job) {
  const bool backward = found(job, "backward"), optimizer = found(job, "optimizer");
  if (backward && optimizer)
    return {"job", "training", "it runs backwards and an optimizer", Confidence::Likely};
  if (backward)
    return {"job", "training, without an optimizer's step", "it runs backwards", Confidence::Likely};
  if (optimizer) return {"job", "training", "it runs an optimizer", Confidence::Guessed};
  return {"job", "forward only, or the device alone", "nothing shows a backward", Confidence::Guessed};
}

class Uses {
 public:
  explicit Uses(const JobProfile& job) {
    for (const ProfiledRank& rank : job.ranks)
      for (const CollectiveUse& use : rank.collectives)
        if (use.devices != 1) all_.push_back(&use);
  }

  bool empty() const { return all_.empty(); }
  bool any(std::string_view operation) const {
    return std::ranges::any_of(all_, [&](const auto* use) { return use->operation == operation; });
  }
  bool any(std::string_view operation, PassPhase phase) const {
    return std::ranges::any_of(
        all_, [&](const auto* use) { return use->operation == operation && use->phase == phase; });
  }
  std::set<std::string> groups() const {
    std::set<std::string> named;
    for (const CollectiveUse* use : all_)
      if (!use->group.empty() && use->group != "default_pg" && use->group != "undefined")
        named.insert(use->group);
    return named;
  }

 private:
  std::vector<const CollectiveUse*> all_;
};

Inferred about_parallelism(const JobProfile& job, const Uses& uses) {
  const std::string of = job.processes == 1 ? "1 process" : std::to_string(job.processes) + " processes";
  if (uses.empty())
    return job.processes == 1 ? Inferred{"parallelism", "none", "one process", Confidence::Likely}
                              : Inferred{"parallelism", "unknown", of + ", and no collective in the files",
                                         Confidence::Missing};
  const std::set<std::string> groups = uses.groups();
  if (!groups.empty())
    return {"parallelism", joined(groups), "process groups of the messages, of " + of, Confidence::Stated};
  if (uses.any("all-to-all"))
    return {"parallelism", "data, with an exchange of tokens, sequences or tables", "all-to-alls, of " + of,
            Confidence::Guessed};
  if (uses.any("reduce-scatter") && uses.any("all-gather"))
    return {"parallelism", "sharded data (FSDP, ZeRO), or tensor with sequences",
            "all-gathers and reduce-scatters, of " + of, Confidence::Guessed};
  if (uses.any("all-reduce", PassPhase::Forward) && uses.any("all-reduce", PassPhase::Backward))
    return {"parallelism", "data, and perhaps tensor", "all-reduces in forwards and backwards, of " + of,
            Confidence::Guessed};
  if (uses.any("all-reduce")) return {"parallelism", "data", "all-reduces, of " + of, Confidence::Likely};
  const std::string kinds = uses.any("send-receive") ? "messages between two ranks" : "other collectives";
  return {"parallelism", "unknown", kinds + ", of " + of, Confidence::Guessed};
}

Inferred about_pipeline(const Uses& uses, const std::vector<std::vector<std::uint16_t>>& groups) {
  const std::string how = "no annotation names a pass";
  std::size_t largest = 0;
  for (const auto& group : groups) largest = std::max(largest, group.size());
  if (largest > 1)
    return {"pipeline", "not read",
            how + "; a process group of the pipeline has " + std::to_string(largest) + " ranks",
            Confidence::Stated};
  if (uses.any("send-receive"))
    return {"pipeline", "not read",
            how + "; messages between two ranks may be a pipeline's or an all-to-all's", Confidence::Guessed};
  return {"pipeline", "none", how + ", and no message goes from one rank to another", Confidence::Likely};
}

}  // namespace
}  // namespace job_kinds

std::vector<Inferred> about_job(const JobProfile& job,
                                const std::vector<std::vector<std::uint16_t>>& pipeline_groups) {
  const job_kinds::Uses uses(job);
  return {job_kinds::about_kind(job), job_kinds::about_parallelism(job, uses),
          job_kinds::about_pipeline(uses, pipeline_groups)};
}

}  // namespace spillway
