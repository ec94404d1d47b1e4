#include <fmt/format.h>

#include <algorithm>

#include "base/printable.h"
#include "report/inputs/measured_steps.h"
#include "report/inputs/steady_text.h"
#include "words/duration_text.h"
#include "words/table.h"
#include "words/wording.h"

namespace spillway {
namespace profile_words {
namespace {

constexpr std::size_t kMostCollectives = 8;
constexpr std::size_t kMostRanks = 64;
constexpr std::size_t kMostSteps = 16;

std::string inferences_text(const std::vector<Inferred>& inferences) {
  std::string text;
  for (const Inferred& one : inferences)
    text += wrapped(fmt::format("{:<14}", one.what + ':'),
                    fmt::format("{} ({}: {})", one.found, to_string(one.confidence), one.how), kTableColumns);
  return text;
}

std::string share_of(Seconds part, Seconds window) {
  return window > Seconds() ? percent(part / window, 2) : "";
}

std::vector<std::string> time_row(std::string name, const DeviceTime& time) {
  std::vector<std::string> row = {std::move(name), duration_text(time.window)};
  for (const Seconds part : {time.computing, time.communication, time.copies, time.host, time.idle})
    row.push_back(share_of(part, time.window));
  return row;
}

const std::vector<std::string> kParts = {"device time", "computing", "communication",
                                         "copies",      "host",      "idle"};

TableRows headed(const std::string& first) {
  TableRows rows = {{first}};
  rows.front().insert(rows.front().end(), kParts.begin(), kParts.end());
  return rows;
}

std::string ranks_table(const JobProfile& job) {
  TableRows rows = headed("rank");
  const std::size_t shown = std::min(job.ranks.size(), kMostRanks);
  for (std::size_t i = 0; i < shown; ++i)
    rows.push_back(time_row(std::to_string(job.ranks[i].rank), job.ranks[i].time));
  const std::string more =
      shown < job.ranks.size() ? fmt::format("  and {} more (--json)\n", job.ranks.size() - shown) : "";
  return table_text(rows) + more;
}

// The first and the last steps.
std::string steps_table(const ProfiledRank& rank) {
  if (rank.steps.empty()) return "";
  TableRows rows = headed("step of rank " + std::to_string(rank.rank));
  rows.front()[1] = "step";
  for (std::size_t i = 0; i < rank.steps.size(); ++i) {
    const ProfiledStep& step = rank.steps[i];
    if (i >= kMostSteps / 2 && i + kMostSteps / 2 < rank.steps.size()) continue;
    rows.push_back(time_row(step.name + (step.whole ? "" : ", cut short"), step.device));
    rows.back()[1] = duration_text(step.time);
  }
  const std::size_t shown = rows.size() - 1;
  const std::string more = shown < rank.steps.size()
                               ? fmt::format("  {} between them with --json\n", rank.steps.size() - shown)
                               : "";
  return '\n' + table_text(rows) + more;
}

// The passes of the last whole step.
std::string profiled_passes(const ProfiledRank& rank) {
  const auto whole = std::find_if(rank.steps.rbegin(), rank.steps.rend(),
                                  [](const ProfiledStep& s) { return s.whole && !s.passes.empty(); });
  if (whole == rank.steps.rend()) return "";
  TableRows rows = {{"pass of step " + whole->name, "microbatch", "span", "busy", "kernels"}};
  for (const ProfiledPass& pass : whole->passes)
    rows.push_back({std::string(to_string(pass.direction)), std::to_string(pass.microbatch),
                    duration_text(pass.span), duration_text(pass.busy), std::to_string(pass.kernels)});
  return '\n' + table_text(rows);
}

std::string layers_table(const ProfiledRank& rank) {
  if (rank.layers.empty()) return "";
  TableRows rows = {{"repeated layers", "layers", "kernels each", "busy each", "of the pass"}};
  for (const ProfiledLayers& one : rank.layers)
    rows.push_back({std::string(to_string(one.direction)), std::to_string(one.layers),
                    std::to_string(one.kernels), duration_text(one.busy), percent(one.share, 0)});
  return '\n' + table_text(rows);
}

std::string collectives_table(const ProfiledRank& rank) {
  if (rank.collectives.empty()) return "";
  TableRows rows = {{"collective", "among", "in", "count", "time", "bytes"}};
  for (std::size_t i = 0; i < std::min(rank.collectives.size(), kMostCollectives); ++i) {
    const CollectiveUse& use = rank.collectives[i];
    rows.push_back({use.operation + (use.group.empty() ? "" : " (" + use.group + ")"),
                    use.devices > 0 ? std::to_string(use.devices) : "?", std::string(to_string(use.phase)),
                    std::to_string(use.count), duration_text(use.time),
                    use.bytes ? fmt::format("{:.4g}", use.bytes->value()) : "?"});
  }
  return '\n' + table_text(rows);
}

std::string profile_heading(const JobProfile& job) {
  const std::string files =
      job.files.size() == 1 ? printable(job.files.front()) : fmt::format("{} files", job.files.size());
  return fmt::format("kineto: {} of {}: {}\n", job.ranks.size(),
                     job.processes == 1 ? "1 process" : fmt::format("{} processes", job.processes), files);
}

}  // namespace
}  // namespace profile_words

std::string profile_text(const JobProfile& job, const std::vector<HeldStep>& predicted) {
  using namespace profile_words;
  const ProfiledRank& first = job.ranks.front();
  std::string text =
      profile_heading(job) + inferences_text(job.inferences) + inferences_text(first.inferences);
  if (job.steps) text += steady_text(*job.steps);
  if (!job.slow_ranks.empty())
    text += fmt::format("slow ranks:   {}, whose computing is more than {} above the median\n",
                        ranks_words(job.slow_ranks), percent(kSlowRank, 0));
  text += '\n' + ranks_table(job) + steps_table(first) + profiled_passes(first) + layers_table(first) +
          collectives_table(first) + predictions_text(predicted);
  for (const Note& note : job.notes) text += wrapped("", to_string(note), kTableColumns);
  return text;
}

std::string verdict(const JobProfile& job, const std::vector<HeldStep>& predicted) {
  const DeviceTime& time = job.ranks.front().time;
  const std::string device = "the device computes for " +
                             percent(time.window > Seconds() ? time.computing / time.window : 0, 1) +
                             " of its time";
  const std::string step = job.steps ? "; a steady step takes " + steady_words(*job.steps) : "";
  return "no pipeline; " + device + step + prediction_words(predicted);
}

}  // namespace spillway
