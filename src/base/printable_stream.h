// A guarded stream. It makes all output printable, so that no raw file content reaches a terminal.
#pragma once

#include <memory>
#include <ostream>

namespace spillway {

// The program's own control sequences that pass: colours (ESC [ numbers m), and carriage returns.
enum class OwnMarks { None, Colours, Returns };

// Guards `out` during its lifetime. In JSON an escape keeps its meaning (\u202e).
class PrintableStream {
 public:
  PrintableStream(std::ostream& out, OwnMarks marks);
  ~PrintableStream();  // writes the pending bytes, then restores `out`
  PrintableStream(const PrintableStream&) = delete;
  PrintableStream& operator=(const PrintableStream&) = delete;

 private:
  class Buffer;
  std::ostream& out_;
  std::unique_ptr<Buffer> buffer_;
};

}  // namespace spillway
