// conformance_cases FOLDER [NAME...]: runs the cases that real Keras wrote into FOLDER, one line for each that differs.
// Those listed in not_built.txt must fail to load, so that the list stays true.
#include <c10/util/Exception.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <set>

#include "check_case.h"
#include "tandem/core/error.h"
#include "tandem/core/log.h"

namespace tandem::conformance {
namespace {

std::set<std::string> read_names(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw DataError(path + ": cannot be read");
  std::set<std::string> names;
  for (std::string line; std::getline(in, line);) {
    line = line.substr(0, line.find('#'));
    line.erase(line.find_last_not_of(" \t") + 1);
    if (!line.empty()) names.insert(line);
  }
  return names;
}

struct Outcome {
  Differences differences;
  std::string refused;  // why it could not be run
};

Outcome run(const CaseFolder& folder) {
  try {
    return {check_case(folder), {}};
  } catch (const c10::Error& error) {
    return {{}, std::string("LibTorch: ") + error.what_without_backtrace()};
  } catch (const std::exception& error) {
    return {{}, error.what()};
  }
}

int run_all(const std::string& root, const std::set<std::string>& chosen) {
  const auto not_built = read_names(TANDEM_NOT_BUILT);
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(root)) {
    if (std::filesystem::exists(entry.path() / "case.json")) paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  int passed = 0, wrong = 0, missing = 0;
  for (const auto& path : paths) {
    const CaseFolder folder(path);
    if (!chosen.empty() && !chosen.contains(folder.name())) continue;
    const auto outcome = run(folder);
    const bool passes = outcome.differences.empty() && outcome.refused.empty();
    if (not_built.contains(folder.name())) {
      ++missing;
      if (!outcome.refused.empty()) continue;
      ++wrong;
      std::printf("%s: is listed as not built, but %s\n", folder.name().c_str(),
                  passes ? "passes: take it off the list" : "runs with other numbers than Keras's");
    } else if (passes) {
      ++passed;
      continue;
    } else {
      ++wrong;
    }
    if (!outcome.refused.empty()) std::printf("%s: %s\n", folder.name().c_str(), outcome.refused.c_str());
    for (std::size_t i = 0; i < std::min<std::size_t>(outcome.differences.size(), 5); ++i)
      std::printf("%s: %s\n", folder.name().c_str(), outcome.differences[i].c_str());
  }
  std::printf("%d cases pass, %d differ, %d are not built (%s)\n", passed, wrong, missing, root.c_str());
  return wrong == 0 && passed > 0 ? 0 : 1;
}

}  // namespace
}  // namespace tandem::conformance

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: conformance_cases FOLDER [NAME...]\n", stderr);
    return 2;
  }
  try {
    return tandem::conformance::run_all(argv[1], {argv + 2, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "conformance_cases: %s\n", error.what());
    return 1;
  }
}
