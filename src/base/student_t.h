// Student's t distribution. It has its own object file because Boost's headers take long to compile.
#pragma once

namespace spillway {

// The t below which a share of the distribution lies.
double student_t_quantile(double share, double degrees_of_freedom);

}  // namespace spillway
