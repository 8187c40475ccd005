#pragma once
#include <c10/core/Device.h>
#include <c10/core/Event.h>

#include <cstddef>
#include <optional>
#include <vector>

namespace tandem::distribute {

/// The order of GPUs' work in one pass over the segments of a divided graph. Threads give work to their GPUs and go on:
/// what a segment needs has ended for the host, not yet on the GPU. So each GPU waits for events of the others; a CPU
/// waits for them itself.
class PlacedOrder {
 public:
  /// `devices`: by place. On the thread of the first place, whose work so far comes before all segments.
  PlacedOrder(const std::vector<c10::Device>& devices, std::size_t segments);

  /// On the thread of `place`: what it gives away from now on comes after the segments `needs`.
  void begin(std::size_t place, const std::vector<std::size_t>& needs) const;
  /// On the thread of `place`: all of `segment` is given away.
  void end(std::size_t place, std::size_t segment);
  /// On the thread of the first place, when all have ended: what it gives away comes after all segments.
  void finish() const;

 private:
  struct Mark {
    std::size_t place = 0;
    std::optional<c10::Event> event;  // where that is a GPU
  };
  void set(Mark& mark, std::size_t place) const;
  void await(const Mark& mark, std::size_t place) const;

  const std::vector<c10::Device>& devices_;
  Mark start_;
  std::vector<Mark> ended_;  // by segment
};

}  // namespace tandem::distribute
