// `spillway twin`: a job whose passes were measured, on one device or on a few.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "api/plan_job.h"
#include "api/run.h"
#include "twin/trace_rows.h"
#include "twin/twin.h"

namespace spillway {

struct TwinArguments {
  Source job = "";                         // an experiment or a plan job
  std::vector<std::string> measured = {};  // traces, and tables of passes in CSV
  std::vector<std::string> sets = {};      // /pointer=value
  TraceChoice choice = {};                 // of traces
  std::vector<std::string> engines = {};   // of an experiment
  std::optional<std::uint32_t> draws = {};
};

struct TwinAnswer {
  TwinAccount account;
  std::variant<RunAnswer, PlanAnswer> result;
  std::string document;  // the job with its measured passes: every command takes it

  std::string text() const;
  std::string json() const;
  std::string page() const;  // of the run or the plan, with the measured passes, for report/page/html.h
};

// Throws InputError with every row that does not fit the job, by file and line.
TwinAnswer twin(const TwinArguments& arguments);

}  // namespace spillway
