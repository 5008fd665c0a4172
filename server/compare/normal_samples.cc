#include "server/compare/normal_samples.h"

#include <array>
#include <cmath>

namespace activation::server {
namespace {

using Coefficients = std::array<double, 8>;
struct Quotient {
  Coefficients above;
  Coefficients below;
};

// PPND16's: around the middle, towards the ends, and close to them.
constexpr Quotient kMiddle = {
    {3.3871328727963666080, 133.14166789178437745, 1971.5909503065514427, 13731.693765509461125,
     45921.953931549871457, 67265.770927008700853, 33430.575583588128105, 2509.0809287301226727},
    {1.0, 42.313330701600911252, 687.18700749205790830, 5394.1960214247511077,
     21213.794301586595867, 39307.895800092710610, 28729.085735721942674, 5226.4952788528545610}};
constexpr Quotient kOuter = {
    {1.42343711074968357734, 4.63033784615654529590, 5.76949722146069140550, 3.64784832476320460504,
     1.27045825245236838258, 0.241780725177450611770, 0.0227238449892691845833,
     7.74545014278341407640e-4},
    {1.0, 2.05319162663775882187, 1.67638483018380384940, 0.689767334985100004550,
     0.148103976427480074590, 0.0151986665636164571966, 5.47593808499534494600e-4,
     1.05075007164441684324e-9}};
constexpr Quotient kFar = {
    {6.65790464350110377720, 5.46378491116411436990, 1.78482653991729133580,
     0.296560571828504891230, 0.0265321895265761230930, 0.00124266094738807843860,
     2.71155556874348757815e-5, 2.01033439929228813265e-7},
    {1.0, 0.599832206555887937690, 0.136929880922735805310, 0.0148753612908506148525,
     7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7,
     2.04426310338993978564e-15}};

double Horner(const Coefficients& c, double t) {
  double sum = 0;
  for (size_t i = c.size(); i-- > 0;) sum = sum * t + c[i];
  return sum;
}

double At(const Quotient& q, double t) { return Horner(q.above, t) / Horner(q.below, t); }

// log x for a normal x, within 2^-51: x = m 2^e with m near 1, log m = 2 atanh s by its series,
// s = (m - 1)/(m + 1) at most 0.172, whose terms end below 2^-56.
double Log(double x) {
  int e = 0;
  double m = std::frexp(x, &e);
  if (m < M_SQRT1_2) {
    m *= 2;
    --e;
  }
  const double s = (m - 1) / (m + 1);
  double sum = 0;
  for (int k = 23; k >= 1; k -= 2) sum = sum * s * s + 1.0 / k;
  return e * M_LN2 + 2 * s * sum;
}

}  // namespace

double NormalQuantile(double p) {
  const double q = p - 0.5;
  if (std::fabs(q) <= 0.425) return q * At(kMiddle, 0.180625 - q * q);
  const double r = std::sqrt(-Log(q < 0 ? p : 1 - p));
  const double size = r <= 5 ? At(kOuter, r - 1.6) : At(kFar, r - 5);
  return q < 0 ? -size : size;
}

double NormalSample(uint64_t seed, uint64_t index) {
  uint64_t z = seed + (index + 1) * 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  z ^= z >> 31;
  return NormalQuantile((static_cast<double>(z >> 12) + 0.5) * 0x1p-52);
}

}  // namespace activation::server
