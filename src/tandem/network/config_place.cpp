#include "tandem/network/config_place.h"

#include <c10/util/StringUtil.h>

namespace tandem {
namespace {

constexpr int kDeepestPlace = 100;  // two levels for each model within a model

}  // namespace

ConfigPlace ConfigPlace::part(const std::string& what) const {
  if (depth_ == kDeepestPlace) fail("models must not nest deeper than this");
  ConfigPlace place;
  place.path_ = c10::str(path_, ": ", what);
  place.depth_ = depth_ + 1;
  return place;
}

void ConfigPlace::fail(const std::string& what) const { throw DataError(c10::str(path_, ": ", what)); }

}  // namespace tandem
