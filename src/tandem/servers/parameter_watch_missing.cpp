#include "tandem/core/error.h"
#include "tandem/servers/parameter_watch.h"

namespace tandem::servers {

class ParameterWatch::Body {};

ParameterWatch::ParameterWatch(const ClientOptions&) {
  throw InvalidArgument("built without ZeroMQ: there are no parameter servers");
}
ParameterWatch::~ParameterWatch() = default;
void ParameterWatch::begin() {}
void ParameterWatch::ask(int64_t) {}
ParameterWatch::Look ParameterWatch::take() { return {}; }
void ParameterWatch::abort(const std::string&) {}

}  // namespace tandem::servers
