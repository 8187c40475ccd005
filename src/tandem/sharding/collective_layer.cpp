#include "tandem/sharding/collective_layer.h"

#include "tandem/sharding/tensor_group.h"

namespace tandem::sharding {
namespace {

class CollectiveLayer final : public Layer {
 public:
  CollectiveLayer(Collective kind, const Division& division, const Place& place)
      : kind_(kind), division_(division), place_(place) {}

  Lowering lowering() const override { return Lowering::kNone; }
  bool supports_masking() const override { return true; }

  Shape output_shape(const Shape& input) override {
    Shape out = input;
    if (kind_ == Collective::gather) out[-1] = division_.length();
    if (kind_ == Collective::slice) out[-1] = division_.own_length(place_);
    return out;
  }

  Tensor call(const Tensor& x, const CallContext&) override {
    switch (kind_) {
      case Collective::enter:
        return entered(x);
      case Collective::sum:
        return summed(x);
      case Collective::gather:
        return gathered(x, division_, place_);
      case Collective::slice:
        break;
    }
    return sliced(x, division_, place_);
  }

 private:
  Collective kind_;
  Division division_;
  Place place_;
};

}  // namespace

std::shared_ptr<Layer> make_collective(const std::string& name, Collective kind, const Division& division,
                                       const Place& place) {
  auto layer = std::make_shared<CollectiveLayer>(kind, division, place);
  layer->set_name(name);
  return layer;
}

}  // namespace tandem::sharding
