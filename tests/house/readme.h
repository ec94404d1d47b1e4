// What the README's tests read it by.
#pragma once

#include <cstdio>
#include <string>

// As the README prints numbers.
inline std::string rounded(double number, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, number);
  return text;
}
