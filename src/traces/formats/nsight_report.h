// Reads one report of Nsight Systems as SQLite (nsys export --type sqlite), by the documented schema
// (https://docs.nvidia.com/nsight-systems/UserGuide, "SQLite Schema Reference"). Private to src/traces.
//
//   NVTX_EVENTS                  start, end, text or textId, globalTid: ranges of the program
//   CUPTI_ACTIVITY_KIND_KERNEL   start, end, shortName, streamId, globalPid, correlationId
//   CUPTI_ACTIVITY_KIND_MEMCPY   start, end, globalPid, correlationId; the same of ..._MEMSET
//   CUPTI_ACTIVITY_KIND_RUNTIME  start, globalTid, correlationId: the call that launched a kernel
//   ThreadNames                  nameId, globalTid
//   TARGET_INFO_GPU              name
//   StringIds                    id, value
// Times are nanoseconds from the start of the session. Tables and columns differ between versions, so each
// may be absent.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace spillway {

struct NsightSpan {
  std::int64_t start_ns;
  std::int64_t end_ns;
};

struct NsightRange : NsightSpan {
  std::string name;
  std::int64_t thread;
};

struct NsightKernel : NsightSpan {
  std::string name;
  std::int64_t stream;
  std::int64_t correlation;
};

struct NsightCopy : NsightSpan {
  std::int64_t correlation;
};

struct NsightLaunch {
  std::int64_t start_ns;
  std::int64_t correlation;
  std::int64_t thread;
};

struct NsightProcess {
  std::vector<NsightRange> ranges;  // all lists by start
  std::vector<NsightKernel> kernels;
  std::vector<NsightCopy> copies;  // and fills
  std::vector<NsightLaunch> launches;
};

struct NsightReport {
  std::map<std::int64_t, NsightProcess> processes;  // by their ids, which ascend in the order of their start
  std::map<std::int64_t, std::string> threads;      // their names, as far as they have any
  std::string device;                               // the first one's name; may be empty
  std::int64_t epoch_ns = 0;                        // when the session began; 0 if the report does not say
};

// The reports of `path`: the file itself, or those of a folder; empty if it is, or has, none.
std::vector<std::string> nsight_reports(const std::string& path);

// Throws InputError if the database cannot be read or has neither ranges nor kernels.
NsightReport read_nsight_report(const std::string& path);

}  // namespace spillway
