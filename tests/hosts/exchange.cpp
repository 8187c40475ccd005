// One rank of a job that adds up a tensor again and again: exchange [steps=N] [elements=N] [limit=SECONDS]
// [pause=SECONDS] [backend=NAME] [interface=NAMES] [groups=N, one after the other]. Ends with 4 where a rank is lost,
// as the launcher expects it.
#include <ATen/ATen.h>
#include <tandem/light.h>

#include <chrono>
#include <cstdio>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>

namespace {

using namespace tandem;

void say(int64_t rank, const std::string& text) {
  std::printf("rank %d: %s\n", static_cast<int>(rank), text.c_str());
  std::fflush(stdout);
}

void run(std::map<std::string, std::string> options) {
  const auto number = [&](const char* name, double otherwise) {
    return options.count(name) ? std::stod(options[name]) : otherwise;
  };
  distribute::ProcessGroupOptions how;
  if (options.count("backend")) how.backend = options["backend"];
  how.limit_seconds = number("limit", 30);
  if (options.count("interface")) how.interface = options["interface"];
  for (int g = 0; g < number("groups", 1); ++g) {
    const auto group = distribute::init_process_group(how);
    const auto ranks = static_cast<double>(group.world_size());
    say(group.rank(), "here, of " + std::to_string(group.world_size()));
    for (int step = 1; step <= number("steps", 3); ++step) {
      Tensor x = at::full({static_cast<int64_t>(number("elements", 1000))}, static_cast<double>(group.rank() + step));
      group.all_reduce(x);
      if (!x.eq(ranks * (ranks - 1) / 2 + ranks * step).all().item<bool>()) throw std::runtime_error("a wrong sum");
      say(group.rank(), "step " + std::to_string(step));
      std::this_thread::sleep_for(std::chrono::duration<double>(number("pause", 0)));
    }
    group.barrier();
  }
  std::puts("exchange: ok");
}

}  // namespace

int main(int argc, char** argv) try {
  std::map<std::string, std::string> options;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    options[word.substr(0, word.find('='))] = word.substr(word.find('=') + 1);
  }
  run(options);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "error: %s\n", error.what());
  return dynamic_cast<const tandem::PeerError*>(&error) ? 4 : 1;
}
