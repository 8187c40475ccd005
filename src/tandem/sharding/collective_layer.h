#pragma once
#include <memory>
#include <string>

#include "tandem/layers/layer.h"
#include "tandem/sharding/division.h"

namespace tandem::sharding {

/// What stands between layers that have values in different ways; each is the other's backward.
enum class Collective {
  enter,   // a whole value goes into divided layers: nothing forward, a sum backward
  sum,     // addends become a whole: a sum forward, nothing backward
  gather,  // a divided value becomes whole: gathered forward, its part backward
  slice,   // a whole value is divided: its part forward, gathered backward
};

/// `division`: of the divided side's last axis, for gather and slice.
std::shared_ptr<Layer> make_collective(const std::string& name, Collective kind, const Division& division,
                                       const Place& place);

}  // namespace tandem::sharding
