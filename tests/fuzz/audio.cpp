#include "input/experiment/trace.h"
#include "target.h"

namespace spillway::testing {

const Target kAudio("audio", "a.csv", [](const std::string& path) { read_audio_trace(path, AudioRule{}); });

}  // namespace spillway::testing
