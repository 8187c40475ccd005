#include "tandem/comm/job_key.h"

#include <zmq.h>

#include <array>

#include "tandem/core/error.h"

namespace tandem::comm {
namespace {

constexpr std::size_t kLength = 40;
using KeyText = std::array<char, kLength + 1>;

}  // namespace

JobKey JobKey::fresh() {
  KeyText open{}, secret{};
  if (zmq_curve_keypair(open.data(), secret.data()) != 0)
    throw InvalidArgument("job key: this ZeroMQ was built without CURVE, which keys need");
  return {secret.data(), open.data()};
}

JobKey JobKey::of_secret(const std::string& secret) {
  KeyText open{};
  std::array<unsigned char, 32> bytes{};
  if (secret.size() != kLength || !zmq_z85_decode(bytes.data(), secret.c_str()) ||
      zmq_curve_public(open.data(), secret.c_str()) != 0)
    throw InvalidArgument("job key: must be a secret key of 40 characters (Z85)");
  return {secret, open.data()};
}

bool job_keys_are_built() { return true; }

}  // namespace tandem::comm
