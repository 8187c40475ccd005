#pragma once
#include <cstdint>

namespace tandem {

/// While alive, layers may be made that do not count: afterwards next_layer_number goes on as if there had been none,
/// so that what a program makes later begins with the same weights. For layers whose first values nobody sees.
class KeptLayerNumbers {
 public:
  KeptLayerNumbers();
  ~KeptLayerNumbers();
  KeptLayerNumbers(const KeptLayerNumbers&) = delete;
  KeptLayerNumbers& operator=(const KeptLayerNumbers&) = delete;

 private:
  int64_t number_;
};

}  // namespace tandem
