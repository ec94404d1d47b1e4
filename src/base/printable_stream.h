// A stream to a terminal, or to where its text may come to one: what is written is made printable on the way,
// so that nothing that a file says reaches a terminal raw, whoever writes it.
#pragma once

#include <memory>
#include <ostream>

namespace spillway {

// What of the program's own passes beside text: colours (ESC [ numbers m), and returns to the line's begin.
enum class OwnMarks { None, Colours, Returns };

// `out` is guarded for as long as it lives. In JSON what is spelled out means what it stood for (\u202e).
class PrintableStream {
 public:
  PrintableStream(std::ostream& out, OwnMarks marks);
  ~PrintableStream();  // writes what was held back, then out is as it was
  PrintableStream(const PrintableStream&) = delete;
  PrintableStream& operator=(const PrintableStream&) = delete;

 private:
  class Buffer;
  std::ostream& out_;
  std::unique_ptr<Buffer> buffer_;
};

}  // namespace spillway
