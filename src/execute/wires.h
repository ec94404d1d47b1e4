// The communicators of a program: for messages, and for each group's exchanges. Private to src/execute.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <map>

#include "program/group_operation.h"
#include "program/program.h"

namespace spillway {

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
  // Barriers of the program. A rank that lacks one must not meet the others there when its step is over.
  MPI_Comm barriers() const { return barriers_; }
  // Contract: this process is a member of the operation's group.
  MPI_Comm of(const GroupOperation& operation) const { return groups_.at(operation); }

 private:
  MPI_Comm stamps_, messages_, everyone_, barriers_;
  // One for each operation, since an exchange goes on while others of its group begin. MPI requires that
  // members start what they start on one communicator in the same order.
  std::map<GroupOperation, MPI_Comm> groups_;
};

}  // namespace spillway
