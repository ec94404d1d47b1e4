// torchtitan's settings (JobConfig) as an experiment.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "launch/command/arguments.h"
#include "launch/command/experiment.h"

namespace spillway {

LaunchReading read_titan(Arguments& settings, std::optional<std::uint32_t> devices,
                         const LaunchOptions& options);

// Settings that change nothing a step computes, keeps or sends, as patterns. Source: the descriptions in
// pytorch/torchtitan @238fa9953e4a, torchtitan/config/job_config.py.
std::span<const std::string_view> idle_titan_settings();

}  // namespace spillway
