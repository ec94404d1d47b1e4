// Letters between the ranks of an MPI job. No operation blocks, so a lost rank cannot stop the others.
#pragma once

#include <mpi.h>

#include <list>
#include <optional>
#include <string>

#include "sweep/run/letters.h"

namespace spillway {

// Only the thread that initialised MPI may use it.
class Mailbox {
 public:
  Mailbox();
  // Leaves the letters on their way to MPI.
  ~Mailbox() = default;

  int rank() const { return rank_; }
  int ranks() const { return ranks_; }

  // Letters from one rank to another arrive in the order sent.
  void send(int to, int kind, std::string text);
  // Returns the next letter that has arrived completely.
  std::optional<Letter> receive();
  // Returns true if MPI has taken every letter sent.
  bool all_sent();

 private:
  struct OnItsWay {
    MPI_Request request = MPI_REQUEST_NULL;
    Letter letter = {};
  };

  void begin_receiving();
  bool is_next_of_its_sender(const OnItsWay& letter) const;

  int rank_ = 0, ranks_ = 0;
  std::list<OnItsWay> outgoing_, incoming_;
};

}  // namespace spillway
