// A training log, and a profile without a pipeline: text for people, spillway/step-log/1 and
// spillway/profile/1 for programs. Both may be held against the steps that an experiment predicts.
#pragma once

#include <string>
#include <vector>

#include "evaluate/held_steps.h"
#include "traces/logs/step_log.h"
#include "traces/profile/job_profile.h"

namespace spillway {

// The same answer in text, and as one JSON document in seconds and bytes, ended by a newline. The same values
// give the same bytes. `predicted` may be empty.
std::string step_log_text(const StepLog& log, const std::vector<HeldStep>& predicted);
std::string step_log_json(const StepLog& log, const std::vector<HeldStep>& predicted);

std::string profile_text(const JobProfile& job, const std::vector<HeldStep>& predicted);
std::string profile_json(const JobProfile& job, const std::vector<HeldStep>& predicted);

// Returns the answer in a sentence: the steady step, and the prediction's error if there is one.
std::string verdict(const StepLog& log, const std::vector<HeldStep>& predicted);
std::string verdict(const JobProfile& job, const std::vector<HeldStep>& predicted);

}  // namespace spillway
