#include "tandem/distribution/peer_message.h"

#include <ATen/ATen.h>

#include <cstring>

#include "tandem/core/error.h"

namespace tandem::distribute {
namespace {

std::size_t values_of(std::size_t bytes) { return (bytes + sizeof(double) - 1) / sizeof(double); }

}  // namespace

void PeerMessage::put(const std::string& text) {
  put(static_cast<double>(text.size()));
  const auto begin = values_.size();
  values_.resize(begin + values_of(text.size()));
  if (!text.empty()) std::memcpy(values_.data() + begin, text.data(), text.size());
}

void PeerMessage::put(const std::vector<double>& numbers) {
  put(static_cast<double>(numbers.size()));
  values_.insert(values_.end(), numbers.begin(), numbers.end());
}

void PeerMessage::put(const Tensor& tensor) {
  put(std::vector<double>(tensor.sizes().begin(), tensor.sizes().end()));
  const Tensor values = tensor.to(at::kDouble).contiguous();
  put(std::vector<double>(values.const_data_ptr<double>(), values.const_data_ptr<double>() + values.numel()));
}

std::size_t PeerMessage::take(std::size_t count) {
  if (count > values_.size() - read_) throw InternalError("PeerMessage: must hold what is asked for, but has ended");
  read_ += count;
  return read_ - count;
}

double PeerMessage::number() { return values_[take(1)]; }

std::string PeerMessage::text() {
  const auto bytes = static_cast<std::size_t>(number());
  const auto begin = take(values_of(bytes));
  std::string text(bytes, '\0');
  if (bytes > 0) std::memcpy(text.data(), values_.data() + begin, bytes);
  return text;
}

std::vector<double> PeerMessage::numbers() {
  const auto count = static_cast<std::size_t>(number());
  const auto begin = values_.begin() + static_cast<std::ptrdiff_t>(take(count));
  return {begin, begin + static_cast<std::ptrdiff_t>(count)};
}

Tensor PeerMessage::tensor() {
  const auto sizes = numbers(), values = numbers();
  return at::tensor(values, at::kDouble).view(std::vector<int64_t>(sizes.begin(), sizes.end()));
}

}  // namespace tandem::distribute
