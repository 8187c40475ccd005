// A link between the host that this runs on and the one of process ID, whose packets are on their way for a while:
//     delayed_link NAME ID SECONDS
// Both get an interface NAME (TUN). Prints "there" once they have it, and forwards until it is killed.
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <deque>
#include <string>
#include <system_error>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

int checked(int result, const std::string& what) {
  if (result < 0) throw std::system_error(errno, std::generic_category(), what);
  return result;
}

// A new interface of the host that this thread is on.
int interface(const std::string& name) {
  const int tun = checked(::open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC), "/dev/net/tun");
  ifreq request{};
  request.ifr_flags = IFF_TUN | IFF_NO_PI;
  name.copy(request.ifr_name, IFNAMSIZ - 1);
  checked(::ioctl(tun, TUNSETIFF, &request), name);
  return tun;
}

struct Packet {
  Clock::time_point due;
  std::vector<char> bytes;
};

// Packets on their way in one direction, the oldest first.
class Way {
 public:
  Way(int from, int to, Clock::duration time) : from_(from), to_(to), time_(time) {}

  void take_in() {
    std::array<char, 65536> bytes{};
    for (ssize_t size = 0; (size = ::read(from_, bytes.data(), bytes.size())) > 0;)
      packets_.push_back({Clock::now() + time_, {bytes.begin(), bytes.begin() + size}});
  }
  // What the other side cannot take is lost, as on any link.
  void hand_out() {
    for (; !packets_.empty() && packets_.front().due <= Clock::now(); packets_.pop_front()) {
      const auto& bytes = packets_.front().bytes;
      if (::write(to_, bytes.data(), bytes.size()) < 0 && errno != EAGAIN && errno != EIO) checked(-1, "write");
    }
  }
  Clock::time_point next() const { return packets_.empty() ? Clock::time_point::max() : packets_.front().due; }

 private:
  int from_, to_;
  Clock::duration time_;
  std::deque<Packet> packets_;
};

void run(const std::string& name, const std::string& id, double seconds) {
  const int here = interface(name);
  const int other = checked(::open(("/proc/" + id + "/ns/net").c_str(), O_RDONLY | O_CLOEXEC), "process " + id);
  checked(::setns(other, CLONE_NEWNET), "its host");
  const int there = interface(name);
  std::puts("there");
  std::fflush(stdout);
  const auto time = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  Way forth(here, there, time), back(there, here, time);
  std::array<pollfd, 2> ends{{{here, POLLIN, 0}, {there, POLLIN, 0}}};
  for (;;) {
    const auto next = std::min(forth.next(), back.next());
    const auto wait = std::chrono::ceil<std::chrono::milliseconds>(next - Clock::now()).count();
    checked(::poll(ends.data(), ends.size(), next == Clock::time_point::max() ? -1 : std::max<int>(0, wait)), "poll");
    for (Way* way : {&forth, &back}) {
      way->take_in();
      way->hand_out();
    }
  }
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 4) throw std::runtime_error("delayed_link NAME ID SECONDS");
  run(argv[1], argv[2], std::stod(argv[3]));
} catch (const std::exception& error) {
  std::fprintf(stderr, "error: %s\n", error.what());
  return 1;
}
