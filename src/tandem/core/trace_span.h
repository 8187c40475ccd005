#pragma once
#include <string>

namespace tandem {

/// When one layer computed on one device, in seconds of the steady clock.
struct TraceSpan {
  std::string device;  // "cpu:0"
  std::string layer;
  bool backward = false;
  double start = 0, end = 0;
};

}  // namespace tandem
