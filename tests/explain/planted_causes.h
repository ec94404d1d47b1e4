// Causes planted in random jobs by editing their documents and durations. Shares no code with the causes that
// are tried (explain/gap_causes.h): rates, links and hosts are changed in the platform's own numbers,
// frameworks are written out, and a straggler is put into the durations of the order.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "planted_jobs.h"
#include "published_causes.h"
#include "timing/longest_path.h"

namespace spillway {

// Changes numbers of the platform that the job names, wherever it states them.
class PlatformEdit {
 public:
  explicit PlatformEdit(JobJson& job) : job_(job), platform_(JobJson::parse(slurp(job["platform"]))) {}

  const JobJson& platform() const { return platform_; }

  void scale(const std::string& pointer, double factor) {
    const JobJson::json_pointer at(pointer);
    if (platform_.contains(at)) state(pointer, 0, factor);
  }
  void state(const std::string& pointer, double otherwise, double factor) {
    const JobJson::json_pointer at(pointer);
    const double value = platform_.contains(at) ? platform_[at]["value"].get<double>() : otherwise;
    job_["platform_set"][pointer] = {{"value", value * factor}, {"kind", "assumed"}, {"source", "planted"}};
  }
  void scale_port(std::size_t port, double speed) {
    scale("/ports/" + std::to_string(port) + "/bandwidth_gbps", speed);
    for (std::size_t i = 0; i < platform_["tiers"].size(); ++i)
      if (platform_["tiers"][i]["port"] == platform_["ports"][port]["name"]) scale_tier(i, speed);
  }

 private:
  void scale_tier(std::size_t index, double speed) {
    const std::string tier = "/tiers/" + std::to_string(index);
    scale(tier + "/bandwidth_gbps", speed);
    for (const char* time :
         {"/latency_us", "/step_latency_us", "/protocols/bulk_step_us", "/protocols/exchange_us",
          "/protocols/exchange_bulk_us", "/protocols/in_switch/once_us"})
      scale(tier + time, 1 / speed);
    const JobJson& known = platform_["tiers"][index];
    for (std::size_t i = 0; i < known.value("expert_kernels", JobJson::array()).size(); ++i)
      for (const char* rate : {"/dispatch_gbps", "/combine_gbps", "/fp8_dispatch_gbps"})
        scale(tier + "/expert_kernels/" + std::to_string(i) + rate, speed);
    const JobJson sweeps = known.value("collectives", JobJson::array());
    for (std::size_t i = 0; i < sweeps.size(); ++i) {
      JobJson points = sweeps[i]["points"];
      for (JobJson& point : points) point[1] = point[1].get<double>() / speed;
      job_["platform_set"][tier + "/collectives/" + std::to_string(i) + "/points"] = points;
    }
  }

  JobJson& job_;
  JobJson platform_;
};

// The step if one rank's passes take longer: its durations are scaled in the order.
inline Seconds step_with_straggler(const JobJson& job, std::uint32_t rank, double time) {
  const Evaluation evaluation = planted_evaluation(job);
  const ScheduleResult& schedule = evaluation.schedules.front();
  const Order& order = schedule.derived->order;
  Durations durations = schedule.first.durations;
  for (std::uint32_t index = 0; index < order.event_count(); ++index) {
    const Event& event = order.event(EventId(index));
    if (!event.computes() || event.rank.index() != rank) continue;
    for (std::uint32_t lane = 0; lane < durations.lanes(); ++lane)
      durations.at(EventId(index), lane) = durations.at(EventId(index), lane) * time;
  }
  return LongestPath(order).timeline(durations).makespan();
}

// Writes the job's framework out, so that it can be changed.
inline JobJson& written_framework(JobJson& job) {
  if (!job.contains("framework"))
    job["framework"] = {{"schema", "spillway/framework/1"}, {"name", "planted"}};
  else if (job["framework"].is_string())
    job["framework"] = JobJson::parse(
        slurp(shipped("platforms/frameworks/" + job["framework"].get<std::string>() + ".json")));
  return job["framework"];
}

inline JobJson assumed_figure(const JobJson& value) {
  return {{"value", value}, {"kind", "assumed"}, {"source", "planted"}};
}

inline double mean_samples(const JobJson& job) {
  const Experiment experiment = read_job(job, {});
  double samples = 0;
  const std::vector<WorkloadTally> tallies = DrawCosts(experiment).tallies(0);
  for (const WorkloadTally& tally : tallies) samples += static_cast<double>(tally.samples);
  return samples / experiment.pipeline.microbatches / experiment.pipeline.replicas;
}

// A cause in a job: what the step becomes, and how a setting is recognized that names it.
struct Planted {
  std::string key, value;  // of the list; of links, the port
  JobJson job;
  std::optional<std::pair<std::uint32_t, double>> straggler = {};
  Seconds later = {};

  Seconds measured() const {
    return later +
           (straggler ? step_with_straggler(job, straggler->first, straggler->second) : planted_step(job));
  }
};

// Plants one of the values of a published cause. Nothing if the job states the key, or has no such key.
class Planter {
 public:
  Planter(Dice& dice, Planted& into) : dice_(dice), into_(into) {}

  bool plant(const PublishedCause& cause) {
    into_.key = cause.key;
    into_.value = dice_.any(cause.values);
    JobJson& job = into_.job;
    if (cause.key.starts_with("/what_if/")) return machine(cause.key.substr(9));
    if (cause.key == "/framework") return software(job);
    if (cause.key.starts_with("/framework/")) return framework(cause.key.substr(11));
    if (cause.key == "/workload/packing") return unpacked(job);
    JobJson& part = cause.key.starts_with("/parallel/")
                        ? job["parallel"]
                        : job["model"]["blocks"][dice_.below(job["model"]["blocks"].size())];
    const std::string key = cause.key.substr(cause.key.rfind('/') + 1);
    if (part.contains(key)) return false;
    part[key] = JobJson::accept(into_.value) ? JobJson::parse(into_.value) : JobJson(into_.value);
    return true;
  }

 private:
  bool machine(const std::string& key) {
    PlatformEdit edit(into_.job);
    const double value = std::stod(into_.value);
    if (key == "host_speed") {
      edit.scale("/accelerator/host_overhead_us", 1 / value);
      edit.state("/accelerator/host_speed", 1, value);
    } else if (key == "compute_speed") {
      edit.state("/accelerator/sustained", 1, value);
    } else if (key == "port_speed") {
      const std::uint32_t port = dice_.below(edit.platform()["ports"].size());
      edit.scale_port(port, value);
      into_.value = edit.platform()["ports"][port]["name"];
    } else if (key == "straggler") {
      const std::uint32_t ranks = into_.job["pipeline"]["ranks"];
      if (ranks == 1) return false;
      into_.straggler = std::pair(dice_.below(ranks), value);
    } else {
      into_.later = milliseconds(value);
    }
    return true;
  }

  bool software(JobJson& job) {
    if (job.contains("framework")) return false;
    into_.value = dice_.any<std::string>({"megatron-overlapped", "megatron-eager", "torchtitan-compiled",
                                          "torchtitan-eager", "nemo", "mindspeed", "mindspeed-mm",
                                          "megatron-bridge-vl-eager", "megatron-bridge-vl-graphs"});
    const bool ascend = job["platform"].get<std::string>().find("atlas") != std::string::npos;
    const bool images = job["model"]["blocks"].size() > 1;
    if (ascend != into_.value.starts_with("mindspeed")) return false;
    if (images != (into_.value.find("vl") != std::string::npos || into_.value == "mindspeed-mm"))
      return false;
    job["framework"] = into_.value;
    return true;
  }

  bool framework(const std::string& key) {
    JobJson& written = written_framework(into_.job);
    if (key == "graphs") {
      if (!written.contains("launch_us")) return false;
      written["graphs"] = {{"covers", into_.value}, {"kind", "assumed"}, {"source", "planted"}};
    } else if (key == "hidden/gradients") {
      if (!written.contains("step_end") || !written["step_end"].contains("reductions")) return false;
      for (const char* share : {"gradients", "parameters"}) written["hidden"].erase(share);
      written["step_end"]["reductions"] = assumed_figure("after-backward");
    } else if (key == "hidden/data") {
      written["hidden"]["data"] = assumed_figure(0);
    } else {
      written[key] =
          assumed_figure(JobJson::accept(into_.value) ? JobJson::parse(into_.value) : JobJson(into_.value));
    }
    return true;
  }

  bool unpacked(JobJson& job) {
    if (job["workload"].contains("packing") || !job["workload"].contains("trace")) return false;
    const double samples = std::max(1.0, std::round(mean_samples(job)));
    job["workload"].erase("sequence_tokens");
    job["workload"]["packing"] = "unpacked";
    job["workload"]["samples_per_microbatch"] = static_cast<std::uint32_t>(samples);
    return true;
  }

  Dice& dice_;
  Planted& into_;
};

// The least by which a planted cause moves a step.
inline constexpr double kMoved = 0.1;

// A job with `count` different causes, each of which moves the step by kMoved or more alone.
struct PlantedGap {
  JobJson job;
  std::vector<Planted> alone;
  Seconds predicted, measured;
};

inline bool moves(const Planted& one, Seconds predicted) {
  return std::abs(one.measured() / predicted - 1) >= kMoved;
}

// Causes one by one into the same job, none of which makes it faster.
inline void plant_several(Dice& dice, PlantedGap& gap, std::size_t count) {
  static const std::vector<PublishedCause> causes = published_causes();
  Planted all{"", "", gap.job};
  for (int tries = 0; tries < 40 && gap.alone.size() < count; ++tries) {
    const PublishedCause& cause = dice.any(causes);
    if (std::ranges::find(gap.alone, cause.key, &Planted::key) != gap.alone.end()) continue;
    Planted one{"", "", gap.job};
    Dice same = dice;
    if (!Planter(dice, one).plant(cause)) continue;
    if (!moves(one, gap.predicted) || one.measured() < gap.predicted) continue;
    if (!Planter(same, all).plant(cause)) continue;
    gap.alone.push_back(one);
  }
  gap.measured = all.measured();
}

inline void plant_one(Dice& dice, PlantedGap& gap, const PublishedCause& cause) {
  Planted one{"", "", gap.job};
  if (!Planter(dice, one).plant(cause) || !moves(one, gap.predicted)) return;
  gap.measured = one.measured();
  gap.alone.push_back(std::move(one));
}

// Fills a gap in a random job. Returns false for a job that is impossible.
template <class Plant>
bool planted_into(PlantedGap& gap, Plant plant) {
  try {
    gap.predicted = planted_step(gap.job);
    plant();
    return true;
  } catch (const InputError&) {
    return false;
  } catch (const Infeasible&) {
    return false;
  }
}

// The next job of the dice that can have so many causes.
inline PlantedGap planted_gap(Dice& dice, std::size_t count) {
  while (true) {
    PlantedGap gap{random_planted_job(dice, kind_for(dice, "")), {}, {}, {}};
    if (planted_into(gap, [&] { plant_several(dice, gap, count); }) && gap.alone.size() == count) return gap;
  }
}

// The next job of the dice in which this cause matters. Nothing if it does in none of kJobsForACause.
inline constexpr int kJobsForACause = 30;
inline std::optional<PlantedGap> gap_by(Dice& dice, const PublishedCause& cause) {
  for (int tries = 0; tries < kJobsForACause; ++tries) {
    PlantedGap gap{random_planted_job(dice, kind_for(dice, cause.key)), {}, {}, {}};
    suit(gap.job, dice, cause.key);
    if (planted_into(gap, [&] { plant_one(dice, gap, cause); }) && !gap.alone.empty()) return gap;
  }
  return std::nullopt;
}

}  // namespace spillway
