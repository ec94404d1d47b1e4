// `spillway calibrate`: fits a platform, a framework or the parameters of a table to measurements.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "calibrate/fit_framework.h"
#include "calibrate/fitted.h"
#include "calibrate/measurements.h"
#include "evaluate/run_cases.h"
#include "input/experiment/cases.h"
#include "platform/platform.h"

namespace spillway {

// Without a platform, the only file is a table of measured steps.
struct CalibrateArguments {
  std::vector<std::string> files = {};  // with measurements
  std::vector<std::string> engines = {};
  std::string platform = {};      // to start from
  std::string framework = {};     // to start from; empty: a platform is fitted
  std::string architecture = {};  // config.json of the profiled model
  std::string out = {};           // file for the fitted platform or framework; empty: none is written
  std::string source = {};        // of the measurements, for the platform file; empty: not stated
  std::string operation = {};     // of messages, if their file does not state it; empty: not stated
  std::uint32_t devices = 0, per_node = 0;  // of messages, if their file does not state them; 0: not stated
  std::vector<std::string> against = {};    // other measurements, whose errors are reported
};

struct CalibratedCases {
  CaseTable table;
  CaseFits fits;
};

struct CalibratedPlatform {
  Platform base;
  Fits fits;
  std::vector<ErrorsAgainst> against;
  std::vector<Measurements> measurements;
  std::string document;  // the fitted platform file

  bool is_nothing() const { return fits.numbers.empty() && fits.sweeps.empty() && fits.tables.empty(); }
};

struct CalibratedFramework {
  FrameworkFit fit;
  std::string document;  // the fitted framework file
};

using CalibrateAnswer = std::variant<CalibratedCases, CalibratedPlatform, CalibratedFramework>;
CalibrateAnswer calibrate(const CalibrateArguments& arguments);

}  // namespace spillway
