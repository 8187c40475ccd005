// fuzz_files [SECONDS [SEED]]: reads damaged files until SECONDS (32) are over, a part for each target. A file that is
// wrong must be a DataError and take little memory; AddressSanitizer watches the code that reads it.
// fuzz_files TARGET SEED NUMBER: one file again, as the message about it says.
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>

#include "mutation.h"
#include "tandem/core/error.h"
#include "tandem/core/log.h"
#include "targets.h"

#ifdef __SANITIZE_ADDRESS__
// LibTorch keeps things until the end; a large allocation is a finding.
extern "C" const char* __asan_default_options() {
  return "detect_leaks=0:max_allocation_size_mb=1024:hard_rss_limit_mb=4096:detect_odr_violation=0";
}
#endif

namespace tandem::fuzz {
namespace {

constexpr long kMostMegabytes = 1500;  // that reading damaged files may add

// Which file is being read: for the last words, whatever ends the program.
std::atomic<const char*> current_target = "";
std::atomic<uint64_t> current_seed = 0, current_number = 0;

void say_which() {
  std::fprintf(stderr, "again: fuzz_files %s %llu %llu\n", current_target.load(),
               static_cast<unsigned long long>(current_seed.load()),
               static_cast<unsigned long long>(current_number.load()));
}

long peak_megabytes() {
  struct rusage usage {};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024;
}

enum class Outcome { taken, refused, failed };

Outcome read_one(const Target& target, uint64_t seed, uint64_t number) {
  current_target = target.name.c_str();
  current_seed = seed;
  current_number = number;
  std::seed_seq words{seed, number};
  Random random(words);
  const std::string bytes = mutated(target.seeds, random);
  std::string what;
  try {
    target.read(bytes);
    return Outcome::taken;
  } catch (const DataError& error) {
    if (!std::strchr(error.what(), '\n')) return Outcome::refused;
    what = std::string("a message of several lines: ") + error.what();
  } catch (const std::exception& error) {
    what = std::string("not a DataError: ") + error.what();
  }
  std::fprintf(stderr, "%s\n", what.c_str());
  say_which();
  return Outcome::failed;
}

// True when nothing was found, and the files were neither all right nor all hopeless.
bool run(const Target& target, uint64_t seed, double seconds) {
  for (const auto& whole : target.seeds) {
    try {
      target.read(whole);
    } catch (const DataError&) {  // some are there to be refused
    }
  }
  const long before = peak_megabytes();
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  uint64_t taken = 0, refused = 0, failed = 0;
  for (uint64_t number = 0; std::chrono::steady_clock::now() < end && failed < 10; ++number) {
    const Outcome outcome = read_one(target, seed, number);
    ++(outcome == Outcome::taken ? taken : outcome == Outcome::refused ? refused : failed);
  }
  const long added = peak_megabytes() - before;
  std::printf("%s: %llu taken, %llu refused, %llu failed, %ld MB more memory\n", target.name.c_str(),
              static_cast<unsigned long long>(taken), static_cast<unsigned long long>(refused),
              static_cast<unsigned long long>(failed), added);
  if (added > kMostMegabytes) std::fprintf(stderr, "%s: took too much memory\n", target.name.c_str());
  return failed == 0 && refused > 0 && taken > 0 && added <= kMostMegabytes;
}

int fuzz(int argc, char** argv) {
  set_log_sink({});
  std::set_terminate([] {
    say_which();
    std::abort();
  });
  auto folder = (std::filesystem::temp_directory_path() / "tandem-fuzz-XXXXXX").string();
  if (!mkdtemp(folder.data())) return 1;
  bool good = true;
  const auto all = targets(folder);
  if (argc == 4) {
    for (const auto& target : all) {
      if (target.name == argv[1])
        good = read_one(target, std::strtoull(argv[2], nullptr, 10), std::strtoull(argv[3], nullptr, 10)) !=
               Outcome::failed;
    }
  } else {
    const double seconds = argc > 1 ? std::atof(argv[1]) : 32;
    const uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
    for (const auto& target : all) good = run(target, seed, seconds / static_cast<double>(all.size())) && good;
  }
  std::filesystem::remove_all(folder);
  return good ? 0 : 1;
}

}  // namespace
}  // namespace tandem::fuzz

#ifdef __SANITIZE_ADDRESS__
extern "C" void __sanitizer_set_death_callback(void (*callback)());
int main(int argc, char** argv) {
  __sanitizer_set_death_callback(tandem::fuzz::say_which);
  return tandem::fuzz::fuzz(argc, argv);
}
#else
int main(int argc, char** argv) { return tandem::fuzz::fuzz(argc, argv); }
#endif
