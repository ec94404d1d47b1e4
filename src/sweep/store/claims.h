// Claims of points, so that two processes on one store never compute the same point. Each claim locks one
// byte of a file beside the store (fcntl, open file descriptions), so the kernel releases the claims of a
// process that dies. A process that was forked under a claim keeps it until it ends. On a network file system
// the locks must work there (NFS version 4 and later). If they do not, points are computed twice and kept
// once.
#pragma once

#include <cstddef>
#include <string>

namespace spillway {

class PointClaims {
 public:
  // Makes the file `store` + "-claims" if it does not exist. Throws InputError if that is not possible.
  explicit PointClaims(const std::string& store);
  // Releases all claims. The last process removes the file.
  ~PointClaims();
  PointClaims(const PointClaims&) = delete;
  PointClaims& operator=(const PointClaims&) = delete;

  // Claims the point, and returns false if another process holds it. Throws InputError if the file system has
  // no such locks.
  bool claim(std::size_t point);
  void release(std::size_t point);

 private:
  std::string path_;
  int file_;
};

}  // namespace spillway
