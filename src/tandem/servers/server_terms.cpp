#include "tandem/servers/server_terms.h"

#include <c10/util/StringUtil.h>

#include "tandem/comm/byte_stream.h"
#include "tandem/core/mix_bits.h"

namespace tandem::servers {
namespace {

struct Terms {
  std::string way;
  int64_t every = 0, hosts = 0, elements = 0, saves = 0, rounds = 0;
  uint64_t weights = 0, values = 0;
};

std::string text_of(const std::vector<PlannedWeight>& weights) {
  comm::ByteWriter to;
  for (const auto& weight : weights) {
    to.text(weight.name);
    to.number(weight.offset);
    to.numbers(weight.shape);
    to.numbers(weight.strides);
  }
  return to.take();
}

Terms read_terms(std::string_view bytes) {
  comm::ByteReader from(bytes);
  Terms terms;
  terms.way = from.text();
  for (auto* n : {&terms.every, &terms.hosts, &terms.elements, &terms.saves, &terms.rounds})
    *n = from.number<int64_t>();
  terms.weights = from.number<uint64_t>();
  terms.values = from.number<uint64_t>();
  return terms;
}

}  // namespace

std::string server_terms(const GroupOptions& options, const ServerPlan& plan, const Tensor& parameters,
                         int64_t rounds) {
  const auto weights = text_of(plan.weights);
  comm::ByteWriter to;
  to.text(name_of(options.way));
  for (const auto n : {options.every, static_cast<int64_t>(options.hosts.size()), plan.elements,
                       static_cast<int64_t>(options.save_every > 0), rounds})
    to.number(n);
  to.number(mix_bytes(weights.data(), weights.size()));
  const bool apart = rounds > 0 && !holds_workers(options.way);
  to.number(apart ? uint64_t{0} : mix_bytes(parameters.const_data_ptr(), parameters.nbytes()));
  return to.take();
}

bool terms_save(std::string_view terms) { return read_terms(terms).saves == 1; }

std::string difference_of_terms(std::string_view own_bytes, std::string_view other_bytes) {
  if (own_bytes == other_bytes) return {};
  const auto own = read_terms(own_bytes), other = read_terms(other_bytes);
  if (own.way != other.way) return c10::str("must have server_sync ", own.way, ", got ", other.way);
  if (own.every != other.every) return c10::str("must have sync_every ", own.every, ", got ", other.every);
  if (own.hosts != other.hosts) return c10::str("must be one of ", own.hosts, " servers, got ", other.hosts);
  if (own.elements != other.elements || own.weights != other.weights)
    return c10::str("must have the same model, of ", own.elements, " elements, got another, of ", other.elements);
  if (own.saves != other.saves) return "must save where this one does, and not where it does not";
  if (own.rounds != other.rounds) return c10::str("must go on from round ", own.rounds, ", got ", other.rounds);
  return "must begin with the same parameters, got others: the models of all hosts need one seed";
}

}  // namespace tandem::servers
