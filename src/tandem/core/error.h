#pragma once
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tandem {

/// Base of every exception that Tandem throws. The message is one line: where, what must hold, what was received.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The caller passed something that cannot work: a shape, a name, a number out of range.
class InvalidArgument : public Error {
 public:
  using Error::Error;
};

/// A file or data set is missing, damaged, or holds values that do not fit.
class DataError : public Error {
 public:
  using Error::Error;
};

/// Another rank is lost, late, or failed first.
class PeerError : public Error {
 public:
  using Error::Error;
};

/// What was waited for is not wanted any more: somebody told it to end.
class Stopped : public Error {
 public:
  using Error::Error;
};

/// A promise that Tandem makes to itself was broken: a defect of the library.
class InternalError : public Error {
 public:
  using Error::Error;
};

/// The known names closest to `name` by edit distance, nearest first, at most three; empty when none is near.
std::vector<std::string> nearest_names(std::string_view name, const std::vector<std::string>& known);

/// Throws InvalidArgument: "<kind> 'nmae' is not known; did you mean 'name'?", or lists what is known when nothing is
/// near.
[[noreturn]] void throw_unknown_name(std::string_view kind, std::string_view name,
                                     const std::vector<std::string>& known);

}  // namespace tandem
