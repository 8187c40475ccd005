#pragma once
#include <string>

namespace tandem::comm {

/// The key of a job: a pair for CurveZMQ that all its processes have, so that they alone can speak with one another and
/// nobody else can listen. Texts of 40 characters (Z85).
struct JobKey {
  std::string secret, open;

  /// A new one, from the system's random numbers. Throws InvalidArgument where ZeroMQ has no CURVE, or is
  /// not built in.
  static JobKey fresh();
  /// The pair of a secret. Throws InvalidArgument on text that is none, without repeating it.
  static JobKey of_secret(const std::string& secret);
};

/// False in a build without ZeroMQ, which has no keys.
bool job_keys_are_built();

/// The variable by which a launcher hands a job's secret to its processes.
inline constexpr const char* kJobKeyVariable = "TANDEM_JOB_KEY";

}  // namespace tandem::comm
