#include "tandem/precision/autocast.h"

#include <ATen/autocast_mode.h>
#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"

namespace tandem::precision {

Autocast::Autocast(c10::ScalarType type, c10::DeviceType device)
    : device_(device),
      was_enabled_(at::autocast::is_autocast_enabled(device)),
      type_before_(at::autocast::get_autocast_dtype(device)) {
  if (type != c10::ScalarType::BFloat16 && type != c10::ScalarType::Half)
    throw InvalidArgument(c10::str("Autocast: type must be BFloat16 or Half, got ", c10::toString(type)));
  at::autocast::set_autocast_enabled(device_, true);
  at::autocast::set_autocast_dtype(device_, type);
  at::autocast::increment_nesting();
}

Autocast::~Autocast() {
  // Weights that were cast are kept for as long as they cannot change.
  if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
  at::autocast::set_autocast_enabled(device_, was_enabled_);
  at::autocast::set_autocast_dtype(device_, type_before_);
}

}  // namespace tandem::precision
