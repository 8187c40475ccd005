#include "tandem/model/body.h"
#include "tandem/model/model.h"
#include "tandem/network/chain.h"

namespace tandem {

Sequential::Sequential() : Model(std::static_pointer_cast<Network>(std::make_shared<Chain>())) {}

Sequential::Sequential(std::initializer_list<Item> items, const std::string& name) : Sequential() {
  if (!name.empty()) {
    network()->set_name(name);
    body().set_name(name);
  }
  for (const auto& item : items) add(item);
}

void Sequential::add(const Item& item) {
  auto& chain = static_cast<Chain&>(*network());
  if (!item.input_.empty()) {
    chain.add(item.input_);
  } else {
    chain.add(item.layer_);
  }
  if (chain.built()) body().ensure_built(chain.input_shapes());
}

}  // namespace tandem
