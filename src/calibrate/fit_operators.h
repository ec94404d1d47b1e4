// Fits an accelerator to single operators, measured alone: the shares of its peaks that they reach, and the
// least time of a short operator.
//
// The numbers are those that cost/operators/operator_times.h uses without a table:
//   /accelerator/efficiency/memory     products that hardly compute: their FLOPs at the peak take below half
//   /accelerator/memory_latency_us     the time of their bytes. They move bytes like any other operator:
//                                      time = latency + bytes / (bandwidth e), both fitted at once
//   /accelerator/efficiency/gemm,      time = max(FLOPs / (peak e), bytes / (bandwidth e_memory)), without a
//     grouped_gemm, attention,         latency, so operators that at the peak would take below five latencies
//     attention_backward               are left out (roofline_fit.h)
// Every other shape, ordered by its work, is fitted to. The rest is held back, and the fit's errors on it are
// reported. The errors of a table of the fitted half stand beside them (operator_errors.h), because an
// efficiency is for shapes that no table covers. Numbers without a relevant sample are not mentioned. Numbers
// that the samples do not determine are in Fits::undetermined.
#pragma once

#include <vector>

#include "calibrate/fitted.h"
#include "platform/platform.h"
#include "traces/samples/samples.h"

namespace spillway {

// The base platform gives peak and bandwidth. Its own efficiencies and latency are used if the samples do not
// determine them. All measurements of one kind of operator are fitted together. Files that a platform may
// name go into Fits::tables, unless one of their operators is faster than the platform's peak allows. A note
// says which operators are in no such file. Contract: times above 0.
Fits fit_operators(const Platform& base, const std::vector<Samples>& measurements);

}  // namespace spillway
