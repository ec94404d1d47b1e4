// What single operators, measured alone, say of an accelerator: the shares of its peaks that it reaches, and
// what a short operator takes at least.
//
// The numbers are those that cost/operators/operator_times.h uses where it has no table:
//   /accelerator/efficiency/memory     products that hardly compute, whose FLOPs at the peak take below half
//   /accelerator/memory_latency_us     the time of their bytes, move bytes as any other operator does:
//                                      time = latency + bytes / (bandwidth e), both fitted at once
//   /accelerator/efficiency/gemm,      time = max(FLOPs / (peak e), bytes / (bandwidth e_memory)), without a
//     grouped_gemm, attention,         latency, so operators that at the peak would take below five latencies
//     attention_backward               are left out (roofline_fit.h)
// Every other shape, by its work, is fitted to; the rest is held back, and the fit's errors on it reported.
// Beside them stand the errors of a table of the fitted half (operator_errors.h): an efficiency is for shapes
// that no table covers. Numbers without a sample that bears on them are not mentioned; those that the samples
// leave open are in Fits::undetermined.
#pragma once

#include <vector>

#include "calibrate/fitted.h"
#include "platform/platform.h"
#include "traces/samples/samples.h"

namespace spillway {

// The base platform gives peak and bandwidth; its own efficiencies and latency serve where these are not
// determined. Measurements of one kind of operator are fitted together, whichever file they are from; files
// that a platform may name go into Fits::tables, unless one of their operators outruns the platform's peak;
// a note says which operators stand in none. Contract:
// times above 0.
Fits fit_operators(const Platform& base, const std::vector<Samples>& measurements);

}  // namespace spillway
