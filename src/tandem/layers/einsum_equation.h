#pragma once
#include <string>

#include "tandem/core/shape.h"

namespace tandem {

/// An equation of EinsumDense, "abc,cde->abde": input, kernel and output, one letter an axis. "..." in front of both
/// input and output, or behind both, stands for any axes, which stay.
class EinsumEquation {
 public:
  /// Throws InvalidArgument on other forms, and on an axis of the kernel or the output that occurs nowhere else.
  explicit EinsumEquation(const std::string& text);

  const std::string& text() const { return text_; }
  const std::string& kernel() const { return kernel_; }
  /// The output without "...".
  const std::string& output() const { return output_; }

  /// What follows from the input's shape and the output's without the batch and "...", in which kUnknown stands for a
  /// size that is the input's.
  struct Shapes {
    Shape output, kernel;
    std::string labels;  // of the output's axes; those of "..." are not letters
    /// The size of an output's axis.
    int64_t size_of(char label) const { return output[static_cast<int64_t>(labels.find(label))]; }
  };
  /// Throws InvalidArgument, without the layer's name, when they do not fit.
  Shapes shapes(const Shape& input, const Shape& partial_output) const;

 private:
  std::string text_, input_, kernel_, output_;
  bool left_ = false, right_ = false;  // where "..." stands
};

}  // namespace tandem
