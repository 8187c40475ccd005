#pragma once
#include "tandem/cluster/sources.h"

namespace tandem::cluster {

/// Who this process is, by the first of these that says so: options given by hand, TF_CONFIG, the variables of
/// torchrun, of mpirun, of srun, the flags of hosts; else the only one. The others that speak must agree in rank,
/// world size and addresses, or an InvalidArgument quotes both. Launchers may be nested: where torchrun's variables are
/// there because it was started by mpirun or srun, those of the outer one count processes of another kind and are not
/// asked, and neither are srun's within mpirun.
Membership who_am_i(const Environment& environment, const ExplicitRank& given = {}, const HostFlags& flags = {});

}  // namespace tandem::cluster
