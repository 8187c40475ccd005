#pragma once
#include <ATen/core/Tensor.h>

#include <memory>
#include <string>

#include "tandem/network/network.h"

namespace tandem::saving {

/// The models of tests/fixtures/saved_models.py.
std::shared_ptr<Network> functional_network();
std::shared_ptr<Network> sequential_network();
std::shared_ptr<Network> subclassed_network();
/// By the name of its fixtures' folder.
std::shared_ptr<Network> network_named(const std::string& name);
/// A Dense layer of 3 inputs and 2 outputs, "dense".
std::shared_ptr<Network> dense_network();

/// All weights one after the other, as the fixtures' weights.npy.
at::Tensor flat_weights(const Network& network);
/// Sets the weights from a tensor like that of flat_weights.
void set_flat_weights(Network& network, const at::Tensor& values);
/// Weights with a value of its own everywhere.
void set_counted_weights(Network& network);

/// What the network makes of a batch, not training.
at::Tensor output_of(Network& network, const at::Tensor& x);

/// An empty folder that is removed with its content.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  /// Names of what is in it, sorted, with commas between.
  std::string content() const;

 private:
  std::string path_;
};

std::string read_bytes(const std::string& path);
void write_bytes(const std::string& path, const std::string& bytes);

}  // namespace tandem::saving
