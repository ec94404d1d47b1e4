// The communicators of a program: for messages, and for each group's exchanges. Private to src/execute.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <map>
#include <tuple>

#include "program/program.h"

namespace spillway {

enum class ExchangeKind : std::uint8_t { Compute, Broadcast, Reduce };

// Members start the exchanges of one communicator in the same order, as MPI requires: a stage's broadcasts
// and reductions are one each, and passes that a group computes together have one order.
struct ExchangeKey {
  ExchangeKind kind;
  std::uint32_t group;
  std::uint32_t stage;  // 0 for computing

  friend auto operator<=>(const ExchangeKey&, const ExchangeKey&) = default;
};

class Wires {
 public:
  // All processes of MPI_COMM_WORLD make their wires together, for the same program.
  explicit Wires(const Program& program);
  ~Wires();
  Wires(const Wires&) = delete;
  Wires& operator=(const Wires&) = delete;

  MPI_Comm stamps() const { return stamps_; }  // a small message before each message
  MPI_Comm messages() const { return messages_; }
  MPI_Comm everyone() const { return everyone_; }
  // Contract: this process is a member of the key's group.
  MPI_Comm of(const ExchangeKey& key) const { return groups_.at(key); }

 private:
  MPI_Comm stamps_, messages_, everyone_;
  std::map<ExchangeKey, MPI_Comm> groups_;
};

}  // namespace spillway
