// The pipeline that the replay and its rivals simulate: 1F1B, a forward of 1 s, a backward of 2 s, messages
// of 10 bytes over links of 100 B/s with 1 ms of latency end to end.
#pragma once

namespace spillway::bench {

inline constexpr double kForwardSeconds = 1.0;
inline constexpr double kBackwardSeconds = 2.0;
inline constexpr double kMessageBytes = 10;
inline constexpr double kLinkBytesPerSecond = 100;
inline constexpr double kLatencySeconds = 0.001;

}  // namespace spillway::bench
