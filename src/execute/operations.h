// Messages to and from other ranks, and exchanges of groups, which move beside a rank's actions. Private to
// src/execute.
//
// Idea: an operation is started, then moved on whenever its rank looks at it. Bytes move through MPI in
// pieces. On top of that the operation plays the predicted network: it is not over before it is `due`.
//
// Sends are synchronous (MPI_Issend): one is over when its receive is posted and has taken the bytes. MPI may
// buffer an ordinary send, and the order of a program would then be executed under semantics that NCCL and
// large messages of MPI do not have. A program that needs buffers blocks here, as `derive --check` says.
//
// The receiver has to know when the message was sent. A stamp with that time goes before it, on another
// communicator. It is small, so that MPI delivers it without the sender's help.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>
#include <vector>

#include "base/quantity.h"

namespace spillway {

class Operation {
 public:
  virtual ~Operation() = default;

  // Moves on as far as MPI is ready. Returns true if something moved.
  bool advance();

  bool complete() const { return complete_; }
  // The operation is over at a time after both.
  Seconds due() const { return due_; }
  Seconds done() const { return std::max(due_, finished_); }

 protected:
  // Tries one part. Returns true if it moved. Sets `complete_` with the last one.
  virtual bool move() = 0;

  bool complete_ = false;
  Seconds due_;

 private:
  Seconds finished_;
};

struct Stamp {
  double sent;  // seconds on the clock of all ranks
};

// One end of a message, in pieces.
struct MessageEnd {
  MPI_Comm stamps, messages;
  int peer, tag;
  std::span<std::byte> bytes;
  Seconds time;  // on the predicted network
};

class SentMessage final : public Operation {
 public:
  // Sent at `at`.
  SentMessage(const MessageEnd& end, Seconds at);

 private:
  bool move() override;

  Stamp stamp_;
  std::vector<MPI_Request> requests_;
  std::size_t next_ = 0;
};

class ReceivedMessage final : public Operation {
 public:
  explicit ReceivedMessage(const MessageEnd& end);

 private:
  bool move() override;

  Seconds time_;
  Stamp stamp_ = {};
  std::vector<MPI_Request> requests_;  // the stamp's first
  std::size_t next_ = 0;
};

// An exchange of a group: its members agree on when the last of them began, then bytes move, a piece at a
// time through one buffer: to all from member 0 (a broadcast), or the bitwise or of all (a reduction), which
// moves and combines as many bytes as a sum.
class Exchange final : public Operation {
 public:
  enum class Moves : std::uint8_t { Nothing, Broadcast, Reduction };

  // `buffer` holds a piece.
  Exchange(MPI_Comm group, Moves moves, std::uint64_t bytes, std::span<std::byte> buffer, Seconds time,
           Seconds at);

 private:
  bool move() override;
  void start_piece();

  MPI_Comm group_;
  Moves moves_;
  std::uint64_t left_;
  std::span<std::byte> buffer_;
  Seconds time_;
  bool agreed_ = false;
  double began_;
  MPI_Request request_;
};

}  // namespace spillway
