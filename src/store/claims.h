// Which points a process is about to compute, so that two processes on one store never compute the same one.
// Claims are locks of single bytes of a file beside the store (fcntl, open file descriptions): the kernel
// drops those of a process that dies, at whatever moment.
#pragma once

#include <cstddef>
#include <string>

namespace spillway {

class PointClaims {
 public:
  // Makes the file `store` + "-claims" where there is none. Throws InputError where that cannot be.
  explicit PointClaims(const std::string& store);
  ~PointClaims();
  PointClaims(const PointClaims&) = delete;
  PointClaims& operator=(const PointClaims&) = delete;

  // Whether nobody else holds the point; this process does from here on.
  bool claim(std::size_t point);
  void release(std::size_t point);

 private:
  int file_;
};

}  // namespace spillway
