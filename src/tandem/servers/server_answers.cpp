#include "tandem/servers/server_answers.h"

#include <algorithm>

namespace tandem::servers {

const std::vector<ServerLink::Message>& ServerAnswers::ask(Kind kind, const char* missing, double seconds,
                                                           const std::function<void(std::size_t)>& send) {
  {
    const auto lock = links_.lock();
    expected_ = kind;
    answers_.assign(links_.count(), {});
    answered_.assign(links_.count(), false);
    for (std::size_t s = 0; s < links_.count(); ++s) send(s);
  }
  links_.wait_until({.done = [&] { return std::find(answered_.begin(), answered_.end(), false) == answered_.end(); },
                     .misses = [&](std::size_t s) { return !answered_[s]; },
                     .again =
                         [&](std::size_t s) {
                           if (!answered_[s]) send(s);
                         },
                     .what = missing,
                     .seconds = seconds});
  return answers_;
}

void ServerAnswers::take(std::size_t s, ServerLink::Message& message) {
  answered_[s] = true;
  answers_[s] = std::move(message);
}

}  // namespace tandem::servers
