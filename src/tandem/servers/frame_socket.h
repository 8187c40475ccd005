#pragma once
#include <memory>
#include <string>
#include <vector>

#include "tandem/servers/frame.h"

namespace zmq {
class context_t;
class socket_t;
}  // namespace zmq

namespace tandem::servers {

/// Sends the frames as one message, without copying what is longer than a few lines. False: the peer is gone, or has no
/// room.
bool send_frames(zmq::socket_t& socket, const std::vector<Frame>& frames);

/// The frames of the next message; empty: there is none now. `connection`: is set to the file descriptor that it came
/// by, as its second frame says, since the first is written by ZeroMQ; within a process to -1.
std::vector<Frame> receive_frames(zmq::socket_t& socket, int* connection = nullptr);

inline constexpr const char* kWithinProcess = "inproc://";
bool is_within_process(const std::string& address);

/// One for all sockets of this process that speak with one another within it, else a new one.
std::shared_ptr<zmq::context_t> context_for(const std::string& address);

}  // namespace tandem::servers
