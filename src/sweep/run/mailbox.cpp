#include "sweep/run/mailbox.h"

#include <algorithm>
#include <utility>

namespace spillway {
namespace {

bool is_complete(MPI_Request& request) {
  int complete = 0;
  return MPI_Test(&request, &complete, MPI_STATUS_IGNORE) != MPI_SUCCESS || complete != 0;
}

}  // namespace

// MPI returns errors: operations on a lost rank fail or never complete, and neither may end this rank.
Mailbox::Mailbox() {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
}

void Mailbox::send(int to, int kind, std::string text) {
  OnItsWay& sent = outgoing_.emplace_back();
  sent.letter = {to, kind, std::move(text)};
  const std::string& bytes = sent.letter.text;
  if (MPI_Isend(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, to, kind, MPI_COMM_WORLD,
                &sent.request) != MPI_SUCCESS)
    outgoing_.pop_back();
  all_sent();
}

bool Mailbox::all_sent() {
  outgoing_.remove_if([](OnItsWay& sent) { return is_complete(sent.request); });
  return outgoing_.empty();
}

std::optional<Letter> Mailbox::receive() {
  begin_receiving();
  for (auto letter = incoming_.begin(); letter != incoming_.end(); ++letter) {
    if (!is_next_of_its_sender(*letter) || !is_complete(letter->request)) continue;
    Letter arrived = std::move(letter->letter);
    incoming_.erase(letter);
    return arrived;
  }
  return std::nullopt;
}

void Mailbox::begin_receiving() {
  int there = 0;
  MPI_Message message;
  MPI_Status status;
  while (MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &message, &status) == MPI_SUCCESS &&
         there != 0) {
    int length = 0;
    MPI_Get_count(&status, MPI_BYTE, &length);
    OnItsWay& letter = incoming_.emplace_back();
    letter.letter = {status.MPI_SOURCE, status.MPI_TAG, std::string(length, '\0')};
    MPI_Imrecv(letter.letter.text.data(), length, MPI_BYTE, &message, &letter.request);
  }
}

bool Mailbox::is_next_of_its_sender(const OnItsWay& letter) const {
  const auto first = std::find_if(incoming_.begin(), incoming_.end(), [&](const OnItsWay& other) {
    return other.letter.from == letter.letter.from;
  });
  return &*first == &letter;
}

}  // namespace spillway
