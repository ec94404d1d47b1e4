#include "ask/asked_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "ask/asked_framework.h"
#include "base/findings.h"
#include "base/number.h"
#include "base/printable.h"
#include "base/text.h"
#include "cost/network/parallelism.h"
#include "model/model.h"

namespace spillway {
namespace {

constexpr const char* kWhere = "--explain";
constexpr std::uint32_t kMostChunks = 1'000;
constexpr std::array<std::string_view, 8> kNumbers{"P", "TP", "CP", "EP", "R", "mb", "M", "devices"};

// "HGX H100" has "h100" and "hgx-h100" in it.
std::string letters(std::string_view text) {
  std::string kept;
  for (const char one : lower(text))
    if (one != ' ' && one != '-' && one != '_') kept += one;
  return kept;
}

// "1f1b x3" -> "1f1b,1f1b,1f1b", as names of schedules have it.
std::string written_out(const std::string& text) {
  const std::size_t times = text.rfind(" x");
  if (times == std::string::npos) return text;
  const auto count = number_from<std::uint32_t>(std::string_view(text).substr(times + 2));
  if (!count || *count == 0 || *count > kMostChunks) return text;
  return joined(std::vector<std::string>(*count, text.substr(0, times)), ",");
}

class TextAsked {
 public:
  TextAsked(const PlanJob& job, const std::string& text)
      : job_(job), text_(text), findings_("command line") {}

  AskedLayout layout() {
    for (const std::string_view word : split(text_, ' '))
      if (!word.empty()) take(word);
    findings_.throw_if_any();
    AskedLayout all{job_, {}, text_, true, 0};
    all.layout = {.cluster = 0,
                  .devices = 0,
                  .ranks = number("P"),
                  .tensor = number("TP"),
                  .context = number("CP"),
                  .expert = number("EP"),
                  .replicas = 0,
                  .microbatches = 0,
                  .microbatch = number("mb"),
                  .recompute = recompute_,
                  .data = data_,
                  .schedule = 0};
    place(all.layout);
    choose_schedule(all);
    findings_.throw_if_any();
    take_framework(all);
    return all;
  }

 private:
  void refuse(std::string expected, std::string_view found) {
    findings_.add(kWhere, std::move(expected), '"' + printable(found) + '"');
  }

  void take(std::string_view word) {
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos) return take_word(word);
    const std::string_view key = word.substr(0, equals), value = word.substr(equals + 1);
    if (std::ranges::find(kNumbers, key) != kNumbers.end())
      take_number(key, value);
    else if (key == "recompute")
      take_choice(kRecomputes, value, recompute_);
    else if (key == "data")
      take_choice(kDataParallels, value, data_);
    else if (key == "cluster")
      cluster_ = value;
    else if (key == "framework")
      framework_ = value;
    else if (key == "schedule")
      take_schedule(value);
    else
      refuse(fmt::format("a key of a layout: {}, recompute, data, schedule, cluster or framework",
                         fmt::join(kNumbers, ", ")),
             word);
  }

  void take_number(std::string_view key, std::string_view value) {
    const auto number = number_from<std::uint32_t>(value);
    if (!number || *number == 0) return refuse(fmt::format("{}=N, a whole number of at least 1", key), value);
    if (!numbers_.emplace(key, *number).second) refuse(fmt::format("{} once", key), value);
  }

  template <class Words, class Value>
  void take_choice(const Words& words, std::string_view value, Value& into) {
    std::vector<std::string_view> all;
    for (const auto& [word, one] : words) {
      all.push_back(word);
      if (word == value) {
        into = one;
        return;
      }
    }
    refuse(fmt::format("one of {}", fmt::join(all, ", ")), value);
  }

  void take_word(std::string_view word) {
    for (const auto& [name, data] : kDataParallels)
      if (name == word) {
        data_ = data;
        return;
      }
    take_schedule(word);
  }

  // Names of schedules may have blanks.
  void take_schedule(std::string_view word) {
    if (!schedule_.empty()) schedule_ += ' ';
    schedule_ += word;
  }

  std::uint32_t number(const char* key, std::uint32_t otherwise = 1) const {
    const auto found = numbers_.find(std::string(key));
    return found == numbers_.end() ? otherwise : found->second;
  }

  bool has(const char* key) const { return numbers_.contains(std::string(key)); }

  // A number is that of the job's list, and no part of a name. Bounds are never meant.
  bool is_meant_place(const JobCluster& cluster) const {
    if (cluster.is_bound) return false;
    if (cluster_.empty()) return true;
    if (const auto number = number_from<std::size_t>(cluster_)) return *number == cluster.stated + 1;
    return letters(cluster.platform().name).find(letters(cluster_)) != std::string::npos;
  }

  bool is_meant(const JobCluster& cluster) const {
    return is_meant_place(cluster) && (framework_.empty() || runs_framework(cluster, framework_));
  }

  // Every number of a stated cluster's devices that the text may mean, on the first cluster of it.
  std::vector<std::pair<std::size_t, std::uint32_t>> places(const PlanLayout& layout) const {
    const std::uint64_t lane = std::uint64_t{layout.ranks} * layout.tensor * layout.context;
    std::vector<std::pair<std::size_t, std::uint32_t>> all;
    std::set<std::size_t> stated;
    for (std::size_t i = 0; i < job_.clusters.size(); ++i) {
      if (!is_meant(job_.clusters[i]) || !stated.insert(job_.clusters[i].stated).second) continue;
      for (const std::uint32_t devices : job_.clusters[i].devices)
        if (devices == number("devices", devices) && (!has("R") || lane * number("R") == devices))
          all.emplace_back(i, devices);
    }
    return all;
  }

  // Without a number of devices that takes the layout, it is explained on the first cluster that is meant.
  void place(PlanLayout& layout) {
    const auto found = places(layout);
    if (found.size() > 1) return ask_which(found);
    const std::uint64_t lane = std::uint64_t{layout.ranks} * layout.tensor * layout.context;
    if (found.empty()) {
      const auto meant =
          std::ranges::find_if(job_.clusters, [&](const JobCluster& one) { return is_meant(one); });
      if (meant == job_.clusters.end()) return refuse_place();
      layout.cluster = static_cast<std::size_t>(meant - job_.clusters.begin());
      const std::uint64_t all = std::min<std::uint64_t>(lane * number("R"), 0xffffffffU);
      layout.devices = number("devices", has("R") ? static_cast<std::uint32_t>(all)
                                                  : job_.clusters[layout.cluster].devices.front());
    } else {
      layout.cluster = found.front().first;
      layout.devices = found.front().second;
    }
    layout.replicas =
        number("R", static_cast<std::uint32_t>(std::max<std::uint64_t>(1, layout.devices / lane)));
    const std::uint64_t taken = std::uint64_t{layout.replicas} * layout.microbatch;
    layout.microbatches = number("M", static_cast<std::uint32_t>(job_.batch / taken));
  }

  // No cluster is meant, or none that is runs the framework.
  void refuse_place() {
    std::vector<std::string> frameworks;
    bool is_place = false;
    for (const JobCluster& cluster : job_.clusters) {
      if (!is_meant_place(cluster)) continue;
      is_place = true;
      for (std::string& name : framework_names(cluster))
        if (std::ranges::find(frameworks, name) == frameworks.end()) frameworks.push_back(std::move(name));
    }
    if (!is_place) return refuse("a cluster of the job: " + joined(platform_names(job_)), cluster_);
    refuse(frameworks.empty() ? "no framework, since the cluster is planned without software"
                              : "a framework of the cluster: " + joined(frameworks),
           framework_);
  }

  // The text says which, or it is chosen.
  void take_framework(AskedLayout& all) const {
    std::vector<std::size_t> meant = clusters_alike(job_, all.layout.cluster);
    std::erase_if(meant, [&](std::size_t cluster) { return !is_meant(job_.clusters[cluster]); });
    const std::string& taken = job_.clusters[meant.front()].framework;
    if (meant.size() > 1) {
      ChosenFramework chosen = choose_framework(all.job, all.layout, meant);
      all.layout.cluster = chosen.cluster;
      all.notes.push_back(std::move(chosen.why));
    } else if (!framework_.empty() && framework_ != taken) {
      all.notes.push_back(framework_ + " prices every layout of the model as " + taken +
                          " does, and is planned with it");
    }
  }

  void ask_which(const std::vector<std::pair<std::size_t, std::uint32_t>>& found) {
    std::vector<std::string> all;
    for (const auto& [cluster, devices] : found)
      all.push_back(fmt::format("cluster={} devices={} ({})", job_.clusters[cluster].stated + 1, devices,
                                job_.clusters[cluster].platform().name));
    refuse(fmt::format("one of {}", fmt::join(all, ", ")), text_);
  }

  void choose_schedule(AskedLayout& all) {
    if (schedule_.empty()) schedule_ = "1f1b";
    std::vector<ScheduleChoice>& choices = all.job.search.schedules;
    const auto named = std::ranges::find_if(choices, [&](const ScheduleChoice& choice) {
      return choice.name == schedule_ || choice.text == schedule_;
    });
    all.lists_schedule = named != choices.end();
    all.layout.schedule = all.planned = static_cast<std::size_t>(named - choices.begin());
    if (all.lists_schedule) return;
    auto parsed = parse_schedule(written_out(schedule_));
    auto* schedule = std::get_if<Schedule>(&parsed);
    std::vector<Violation> violations =
        schedule ? check_schedule(*schedule) : std::get<std::vector<Violation>>(parsed);
    for (const Violation& one : violations) findings_.add(kWhere, one.expected, one.found);
    if (violations.empty()) choices.push_back(choice_of(*std::move(schedule)));
  }

  // Stages are planned as those of the usual schedules.
  ScheduleChoice choice_of(Schedule schedule) const {
    const std::uint32_t encoder = leading_encoder_layers(job_.clusters.front().base.model);
    std::optional<Cut> cut;
    if (transposes(schedule) && encoder > 0) cut = Cut{{encoder}};
    ScheduleChoice choice = balanced_choice(schedule_, std::move(schedule), std::move(cut));
    choice.name = schedule_;
    return choice;
  }

  const PlanJob& job_;
  const std::string& text_;
  Findings findings_;
  std::map<std::string, std::uint32_t, std::less<>> numbers_;
  std::string cluster_, framework_, schedule_;
  Recompute recompute_ = Recompute::None;
  DataParallel data_ = DataParallel::Plain;
};

}  // namespace

std::vector<std::string> platform_names(const PlanJob& job) {
  std::vector<std::string> all;
  for (const JobCluster& cluster : job.clusters)
    if (std::ranges::find(all, cluster.platform().name) == all.end()) all.push_back(cluster.platform().name);
  return all;
}

AskedLayout layout_of_text(const PlanJob& job, const std::string& text) {
  return TextAsked(job, text).layout();
}

}  // namespace spillway
