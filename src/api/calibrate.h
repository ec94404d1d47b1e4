// `spillway calibrate`: a platform, a framework or the parameters of a table fitted to measurements.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "calibrate/fit_framework.h"
#include "calibrate/fitted.h"
#include "calibrate/measurements.h"
#include "evaluate/case_fits.h"
#include "input/experiment/cases.h"
#include "platform/platform.h"

namespace spillway {

// Without a platform the one file is a table of measured steps.
struct CalibrateArguments {
  std::vector<std::string> files = {};  // of measurements
  std::vector<std::string> engines = {};
  std::string platform = {};                // to start from
  std::string framework = {};               // likewise; empty: a platform is fitted
  std::string architecture = {};            // of the profiled model
  std::string out = {};                     // where the fitted one is written; empty: nowhere
  std::string source = {};                  // of the measurements, for the platform file; empty: not said
  std::string operation = {};               // of messages whose file does not say it; empty: not said
  std::uint32_t devices = 0, per_node = 0;  // likewise; 0: not said
  std::vector<std::string> against = {};    // measurements that the fitted one is held against
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
  std::string document;  // the platform file that results

  bool is_nothing() const { return fits.numbers.empty() && fits.sweeps.empty() && fits.tables.empty(); }
};

struct CalibratedFramework {
  FrameworkFit fit;
  std::string document;  // the framework file that results
};

using CalibrateAnswer = std::variant<CalibratedCases, CalibratedPlatform, CalibratedFramework>;
CalibrateAnswer calibrate(const CalibrateArguments& arguments);

}  // namespace spillway
