// Which points a process is about to compute, so that two processes on one store never compute the same one.
// Claims are locks of single bytes of a file beside the store (fcntl, open file descriptions): the kernel
// drops those of a process that dies, at whatever moment. A process that was forked while some were held
// keeps them, too, until it ends. On a network file system they hold as far as that one's locks do (NFS from
// version 4 on); where they do not, points are computed twice, and kept once.
#pragma once

#include <cstddef>
#include <string>

namespace spillway {

class PointClaims {
 public:
  // Makes the file `store` + "-claims" where there is none. Throws InputError where that cannot be.
  explicit PointClaims(const std::string& store);
  // Drops what is held. The last one removes the file.
  ~PointClaims();
  PointClaims(const PointClaims&) = delete;
  PointClaims& operator=(const PointClaims&) = delete;

  // Whether nobody else holds the point; this object does from here on. Throws InputError where the file
  // system has no such locks.
  bool claim(std::size_t point);
  void release(std::size_t point);

 private:
  std::string path_;
  int file_;
};

}  // namespace spillway
