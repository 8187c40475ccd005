#pragma once
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace tandem::distribute {

/// Which part of each batch a device gets: equal parts unless told otherwise, `.shares = {3, 1}` three rows for one, or
/// `.shares = "auto"` by the speed that is measured.
class Shares {
 public:
  Shares() = default;
  Shares(std::initializer_list<double> weights) : weights_(weights) {}
  Shares(std::vector<double> weights) : weights_(std::move(weights)) {}
  /// "auto", "" for equal parts, or numbers: "3,1". Throws InvalidArgument on other text.
  Shares(const char* text);
  Shares(const std::string& text) : Shares(text.c_str()) {}

  bool automatic() const { return automatic_; }
  /// By device; empty: equal.
  const std::vector<double>& weights() const { return weights_; }
  /// Throws InvalidArgument unless there is a positive, finite one for each of `devices`.
  void check(int64_t devices) const;

 private:
  std::vector<double> weights_;
  bool automatic_ = false;
};

/// Divides batches among devices by their shares.
class RowShares {
 public:
  RowShares(const Shares& shares, int64_t devices);

  /// Whole rows nearest to each device's share, by largest remainders; the first device wins where two are equal.
  std::vector<int64_t> divide(int64_t rows) const;
  /// True when divide follows what observe is told.
  bool automatic() const { return automatic_; }
  /// Tells how long each device computed in one step for how many rows. With automatic shares, divide then follows the
  /// rows that each computes in a second, smoothed over the last steps. The first steps, in which memory is taken and
  /// algorithms are chosen, do not count.
  void observe(const std::vector<double>& seconds, const std::vector<int64_t>& rows);

 private:
  std::vector<double> weights_;  // add up to 1
  std::vector<double> speeds_;   // rows a second, smoothed
  bool automatic_;
  int64_t observed_ = 0;  // steps
};

}  // namespace tandem::distribute
