#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tandem/cluster/address.h"

namespace tandem::cluster {

/// What a process of a job does.
enum class Role { chief, worker, server, evaluator };
/// "chief", "worker", "ps", "evaluator", as TF_CONFIG names them.
const char* to_string(Role role);
/// Also "master", as TensorFlow 1 called the chief. Throws InvalidArgument in the name of `what` on another name.
Role parse_role(const std::string& text, const std::string& what);

/// How the others of a job learn where rank 0 is met.
enum class Telling {
  address,      // all were given it
  mpi,          // MPI hands it on
  shared_file,  // rank 0 writes it to a file that all hosts see
};

/// Who this process is among those of its job. Ranks count those that train: the chief is rank 0, the workers follow.
struct Membership {
  std::string source = "one process";  // what said so: "TF_CONFIG", "RANK, WORLD_SIZE"
  Role role = Role::chief;
  int64_t index = 0;       // among the processes of its role
  int64_t rank = 0;        // -1: a server or evaluator
  int64_t world_size = 1;  // ranks
  int64_t local_rank = 0;  // among the ranks of its host
  int64_t local_size = 1;  // 0: not known
  Telling telling = Telling::address;
  std::optional<Address> master = {};  // where rank 0 is met, as far as it is known beforehand
  std::vector<Address> ranks = {};     // addresses of all ranks, where they are known
  std::vector<Address> servers = {};
  std::vector<Address> evaluators = {};

  bool trains() const { return role == Role::chief || role == Role::worker; }
  bool alone() const { return world_size == 1 && servers.empty() && trains(); }
  /// "rank 1 of 4 (worker 0), local rank 1 of 2, meets at a:2222".
  std::string describe() const;
};

/// One of `world_size` ranks: the chief where it is the first, else a worker. As `source` says, unchecked.
Membership member_of_rank(std::string source, int64_t rank, int64_t world_size);

/// Throws InvalidArgument when rank, world size or local rank cannot be, naming the source.
void check(const Membership& membership);

}  // namespace tandem::cluster
