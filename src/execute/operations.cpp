#include "execute/operations.h"

#include <algorithm>

#include "execute/buffers.h"
#include "execute/clock.h"

namespace spillway {
namespace {

bool tested(MPI_Request& request) {
  int complete = 0;
  MPI_Test(&request, &complete, MPI_STATUS_IGNORE);
  return complete != 0;
}

// Calls `start` with the pieces of a message, one at least.
template <class Start>
void in_pieces(std::span<std::byte> bytes, const Start& start) {
  do {
    const std::size_t piece = std::min<std::size_t>(bytes.size(), kPieceBytes);
    start(bytes.data(), static_cast<int>(piece));
    bytes = bytes.subspan(piece);
  } while (!bytes.empty());
}

}  // namespace

bool Operation::advance() {
  if (complete_) return false;
  bool moved = false;
  while (!complete_ && move()) moved = true;
  if (complete_) finished_ = now();
  return moved;
}

SentMessage::SentMessage(const MessageEnd& end, Seconds at) : stamp_{at.value()} {
  due_ = at + end.time;
  MPI_Isend(&stamp_, sizeof stamp_, MPI_BYTE, end.peer, end.tag, end.stamps,
            &requests_.emplace_back(MPI_REQUEST_NULL));
  in_pieces(end.bytes, [&](std::byte* piece, int size) {
    MPI_Issend(piece, size, MPI_BYTE, end.peer, end.tag, end.messages,
               &requests_.emplace_back(MPI_REQUEST_NULL));
  });
}

bool SentMessage::move() {
  if (!tested(requests_[next_])) return false;
  complete_ = ++next_ == requests_.size();
  return true;
}

ReceivedMessage::ReceivedMessage(const MessageEnd& end) : time_(end.time) {
  MPI_Irecv(&stamp_, sizeof stamp_, MPI_BYTE, end.peer, end.tag, end.stamps,
            &requests_.emplace_back(MPI_REQUEST_NULL));
  in_pieces(end.bytes, [&](std::byte* piece, int size) {
    MPI_Irecv(piece, size, MPI_BYTE, end.peer, end.tag, end.messages,
              &requests_.emplace_back(MPI_REQUEST_NULL));
  });
}

bool ReceivedMessage::move() {
  if (!tested(requests_[next_])) return false;
  if (next_ == 0) due_ = Seconds(stamp_.sent) + time_;
  complete_ = ++next_ == requests_.size();
  return true;
}

Exchange::Exchange(MPI_Comm group, Moves moves, std::uint64_t bytes, std::span<std::byte> buffer,
                   Seconds time, Seconds at)
    : group_(group), moves_(moves), left_(bytes), buffer_(buffer), time_(time), began_(at.value()) {
  MPI_Iallreduce(MPI_IN_PLACE, &began_, 1, MPI_DOUBLE, MPI_MAX, group_, &request_);
}

bool Exchange::move() {
  if (!tested(request_)) return false;
  if (!agreed_) due_ = Seconds(began_) + time_;
  agreed_ = true;
  if (moves_ == Moves::Nothing || left_ == 0)
    complete_ = true;
  else
    start_piece();
  return true;
}

void Exchange::start_piece() {
  const std::uint64_t piece = std::min<std::uint64_t>(left_, buffer_.size());
  left_ -= piece;
  const int size = static_cast<int>(piece);
  if (moves_ == Moves::Broadcast)
    MPI_Ibcast(buffer_.data(), size, MPI_BYTE, 0, group_, &request_);
  else
    MPI_Iallreduce(MPI_IN_PLACE, buffer_.data(), size, MPI_BYTE, MPI_BOR, group_, &request_);
}

}  // namespace spillway
