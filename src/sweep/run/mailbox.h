// Letters between the ranks of an MPI job, none of which blocks: a rank that is lost holds nobody up.
#pragma once

#include <mpi.h>

#include <list>
#include <optional>
#include <string>

#include "sweep/run/letters.h"

namespace spillway {

// For one thread, the one that initialised MPI.
class Mailbox {
 public:
  Mailbox();
  // Letters on their way are left to MPI.
  ~Mailbox() = default;

  int rank() const { return rank_; }
  int ranks() const { return ranks_; }

  // Letters from one rank to another arrive in the order sent.
  void send(int to, int kind, std::string text);
  // The next letter that has arrived whole.
  std::optional<Letter> receive();
  // Has MPI taken every letter sent?
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
