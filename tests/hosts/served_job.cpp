#include "served_job.h"

#include "tandem/cluster/free_port.h"

namespace tandem::testing {
namespace {

// Some of them as a JSON list.
std::string list_of(std::vector<std::string>::const_iterator begin, std::vector<std::string>::const_iterator end) {
  std::string all;
  for (auto address = begin; address != end; ++address) all += (all.empty() ? "\"" : ", \"") + *address + "\"";
  return "[" + all + "]";
}

}  // namespace

std::vector<std::string> free_addresses(int count) {
  std::vector<std::string> all;
  for (int i = 0; i < count; ++i) all.push_back("127.0.0.1:" + std::to_string(cluster::free_port()));
  return all;
}

ServedJob::ServedJob(int servers, int workers, std::vector<std::string> flags)
    : servers_(servers), workers_(workers), flags_(std::move(flags)), key_(comm::JobKey::fresh()) {
  const auto all = free_addresses(servers + workers);
  cluster_ = R"({"ps": )" + list_of(all.begin(), all.begin() + servers) + R"(, "worker": )" +
             list_of(all.begin() + servers, all.end()) + "}";
}

std::unique_ptr<Program> ServedJob::start(const std::string& role, int index,
                                          const std::vector<std::string>& more) const {
  std::vector<std::string> words{kTandem, "train"};
  words.insert(words.end(), flags_.begin(), flags_.end());
  words.insert(words.end(), more.begin(), more.end());
  return start_program(role, index, words);
}

std::unique_ptr<Program> ServedJob::start_program(const std::string& role, int index,
                                                  const std::vector<std::string>& words) const {
  const auto config = R"({"cluster": )" + cluster_ + R"(, "task": {"type": ")" + role + R"(", "index": )" +
                      std::to_string(index) + "}}";
  return std::make_unique<Program>(words, Program::Variables{{"TF_CONFIG", config}, {"TANDEM_JOB_KEY", key_.secret}});
}

std::vector<std::unique_ptr<Program>> ServedJob::start_all() const {
  std::vector<std::unique_ptr<Program>> programs;
  for (int i = 0; i < servers_; ++i) programs.push_back(start("ps", i));
  for (int i = 0; i < workers_; ++i) programs.push_back(start("worker", i));
  return programs;
}

std::string line_with(const Program& program, const std::string& part) {
  const auto text = program.output();
  const auto found = text.find(part);
  if (found == std::string::npos) return "no " + part + " in: " + text;
  return text.substr(found, text.find('\n', found) - found);
}

}  // namespace tandem::testing
