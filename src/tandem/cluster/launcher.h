#pragma once
#include <functional>
#include <string>
#include <vector>

#include "tandem/cluster/launch_plan.h"

namespace tandem::cluster {

/// How the processes of a job are run and watched.
struct LaunchWatch {
  /// Whole lines of the processes' standard output and error, each with its rank in front.
  std::function<void(const std::string&lines)> output = {}, errors = {};
  /// A signalfd with the signals that are passed on; -1: none are.
  int signals = -1;
  /// From the first failure, or a signal that was passed on, to TERM for those that still run, and from there to KILL.
  double grace_seconds = 10;
  std::vector<std::string> ssh = {"ssh", "-o", "BatchMode=yes"};
};

/// Runs `program` once for each task, on other hosts by ssh in the folder that this one runs in, and returns when all
/// have ended: 0, or the exit code of the one that failed first (128 + a signal's number). Those that only lost a peer
/// (exit code 4) count as first where no other failed. A process that fails makes the others end, unless it is one that
/// they do not need; a signal goes to all, and a second one kills them. The lines last written say who failed first,
/// how each ended, and the first one's own last error lines. Throws InvalidArgument when the program cannot be started
/// here.
int launch(const std::vector<Task>& tasks, const std::vector<std::string>& program, const LaunchWatch& watch);

}  // namespace tandem::cluster
