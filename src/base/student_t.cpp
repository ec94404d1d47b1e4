#include "base/student_t.h"

#include <boost/math/distributions/students_t.hpp>

namespace spillway {

double student_t_quantile(double share, double degrees_of_freedom) {
  return boost::math::quantile(boost::math::students_t(degrees_of_freedom), share);
}

}  // namespace spillway
