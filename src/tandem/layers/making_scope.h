#pragma once
#include <vector>

namespace tandem {

class Layer;

/// While a layer is being made on this thread: notes the layers that it makes for itself, so that one that is not
/// registered can be named.
class MakingScope {
 public:
  MakingScope();
  ~MakingScope();
  MakingScope(const MakingScope&) = delete;
  MakingScope& operator=(const MakingScope&) = delete;
  /// `layer` is made, and owned by a shared_ptr.
  void finish(Layer& layer);

  /// For Layer's constructor and destructor.
  static void note(Layer* made);
  static void forget(Layer* gone);

 private:
  MakingScope* outer_;
  std::vector<Layer*> made_;
};

}  // namespace tandem
