#include "tandem/layers/einsum_equation.h"

#include <c10/util/StringUtil.h>

#include <algorithm>
#include <map>

#include "tandem/core/error.h"

namespace tandem {
namespace {

constexpr std::string_view kDots = "...";

bool takes_letters(std::string_view part) {
  return !part.empty() &&
         std::all_of(part.begin(), part.end(), [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); });
}

bool has_label(const std::string& labels, char label) { return labels.find(label) != std::string::npos; }

}  // namespace

EinsumEquation::EinsumEquation(const std::string& text) : text_(text) {
  const auto fail = [&] {
    throw InvalidArgument(
        c10::str("EinsumDense: equation must be of the form 'ab,bc->ac', '...b,bc->...c' or 'ab...,bc->ac...', got '",
                 text, "'"));
  };
  const auto comma = text.find(','), arrow = text.find("->");
  if (comma == std::string::npos || arrow == std::string::npos || arrow < comma) fail();
  input_ = text.substr(0, comma);
  kernel_ = text.substr(comma + 1, arrow - comma - 1);
  output_ = text.substr(arrow + 2);
  left_ = input_.starts_with(kDots) && output_.starts_with(kDots);
  right_ = !left_ && input_.ends_with(kDots) && output_.ends_with(kDots);
  for (std::string* part : {&input_, &output_}) {
    if (left_) part->erase(0, kDots.size());
    if (right_) part->erase(part->size() - kDots.size());
  }
  for (const auto& part : {input_, kernel_, output_}) {
    if (!takes_letters(part)) fail();
  }
  for (const char label : output_) {
    if (has_label(input_, label) || has_label(kernel_, label)) continue;
    throw InvalidArgument(
        c10::str("EinsumDense: the output's axis '", label, "' must be the input's or the kernel's in '", text, "'"));
  }
  for (const char label : kernel_) {
    if (has_label(input_, label) || has_label(output_, label)) continue;
    throw InvalidArgument(
        c10::str("EinsumDense: the kernel's axis '", label, "' must be the input's or the output's in '", text, "'"));
  }
}

EinsumEquation::Shapes EinsumEquation::shapes(const Shape& input, const Shape& partial_output) const {
  const int64_t elided = input.rank() - static_cast<int64_t>(input_.size());
  if (elided < 0 || (elided > 0 && !left_ && !right_))
    throw InvalidArgument(c10::str("input must have the axes of '", text_, "', got ", input));
  std::string dots;  // labels of the axes that "..." stands for
  for (int64_t i = 0; i < elided; ++i) dots += static_cast<char>('0' + i);
  const std::string in = left_ ? dots + input_ : input_ + dots;
  Shapes found;
  found.labels = left_ ? dots + output_ : output_ + dots;
  if (found.labels.front() != in.front())
    throw InvalidArgument(c10::str("the first axis of '", text_, "' must be the batch of input and output"));

  std::map<char, int64_t> sizes;
  for (std::size_t i = 0; i < in.size(); ++i) sizes[in[i]] = input[static_cast<int64_t>(i)];
  std::size_t next = 0;  // of partial_output
  for (std::size_t i = 1; i < found.labels.size(); ++i) {
    const char label = found.labels[i];
    if (has_label(dots, label)) continue;
    const int64_t given = next < partial_output.sizes().size() ? partial_output.sizes()[next] : Shape::kUnknown;
    ++next;
    const auto [place, is_new] = sizes.emplace(label, given);
    if (is_new || given == Shape::kUnknown) continue;
    if (place->second == Shape::kUnknown) place->second = given;
    if (place->second == given) continue;
    throw InvalidArgument(
        c10::str("input must have size ", given, " at axis '", label, "' of '", text_, "', got ", input));
  }
  if (next != partial_output.sizes().size()) {
    throw InvalidArgument(
        c10::str("output_shape must have ", next, " sizes behind the batch for '", text_, "', got ", partial_output));
  }

  std::vector<int64_t> output, kernel;
  for (const char label : found.labels) output.push_back(sizes.at(label));
  for (const char label : kernel_) {
    kernel.push_back(sizes.at(label));
    if (kernel.back() > 0) continue;
    throw InvalidArgument(c10::str("the kernel's axis '", label, "' of '", text_,
                                   "' must have a known size, from the input or from output_shape, got ", input,
                                   " and ", partial_output));
  }
  found.output = Shape::of(output);
  found.kernel = Shape::of(kernel);
  return found;
}

}  // namespace tandem
