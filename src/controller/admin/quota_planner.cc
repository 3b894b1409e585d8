#include "controller/admin/quota_planner.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "config/keys.h"
#include "protocol/metadata/client_quota_record.h"

namespace moldau {
namespace {

using Request = protocol::AlterClientQuotasRequest;
using Response = protocol::AlterClientQuotasResponse;
using Keys = std::span<const config::Key>;

std::unexpected<Error> refuse(std::string why) {
  return fail(ErrorCode::kInvalidRequest, std::move(why));
}

// A host's name would have to be resolved, which planners don't: what could be one is taken.
bool may_be_address(std::string_view text) {
  return std::ranges::all_of(
      text, [](unsigned char c) { return std::isalnum(c) || c == '.' || c == ':' || c == '-'; });
}

QuotaEntity entity_of(const Request::EntryData& entry) {
  QuotaEntity entity;
  for (const auto& e : entry.entity)
    entity[std::string(e.entity_type)] =
        e.entity_name ? std::optional<std::string>(*e.entity_name) : std::nullopt;
  return entity;
}

// The keys that such an entity may have.
Result<Keys> keys_of(const QuotaEntity& entity) {
  if (entity.empty()) return refuse("Invalid empty client quota entity");
  for (const auto& [type, name] : entity) {
    if (type != kQuotaUser && type != kQuotaClientId && type != kQuotaIp)
      return refuse("Unhandled client quota entity type: " + type);
    if (name && name->empty()) return refuse("Empty " + type + " not supported");
  }
  const auto ip = entity.find(kQuotaIp);
  if (ip == entity.end()) return config::user_client_quota_keys();
  if (entity.size() > 1)
    return refuse("Invalid quota entity combination, IP entity should not be combined with User or ClientId");
  if (ip->second && !may_be_address(*ip->second))
    return refuse(*ip->second + " is not a valid IP or resolvable host.");
  return config::ip_quota_keys();
}

Status check_value(Keys keys, std::string_view name, double value) {
  const config::Key* key = config::find(keys, name);
  if (!key) return refuse("Invalid configuration key " + std::string(name));
  const std::string text(name);
  if (!(value > 0)) return refuse("Quota " + text + " must be greater than 0");
  if (key->type == config::Type::kDouble) return {};
  const double most = key->type == config::Type::kInt ? static_cast<double>(INT32_MAX) : std::ldexp(1.0, 63);
  if (value > most) return refuse("Proposed value for " + text + " is too large");
  if (std::fmod(value, 1.0) > 1e-6) return refuse(text + " cannot be a fractional value.");
  return {};
}

Status alter(const ClusterImage& image, const QuotaEntity& entity, const Request::EntryData& entry,
             RecordBuffer& records) {
  std::set<std::string_view> named;
  for (const auto& op : entry.ops)
    if (!named.insert(op.key).second) return refuse("Duplicate quota key " + std::string(op.key));
  TRY_ASSIGN(const Keys keys, keys_of(entity));
  const QuotaValues* now = image.client_quotas().find(entity);
  RecordBuffer changes;
  protocol::ClientQuotaRecord record;
  for (const auto& [type, name] : entity) record.entity.push_back({type, name});
  for (const auto& op : entry.ops) {
    const double* have = now ? now->find(op.key) : nullptr;
    if (!op.remove) TRY(check_value(keys, op.key, op.value));
    if (op.remove ? !have : have && *have == op.value) continue;
    record.key = op.key;
    record.remove = op.remove;
    record.value = op.remove ? 0 : op.value;
    changes.add(record, 0);
  }
  if (records.size() + changes.size() > kMaxRecordsPerPlan) return too_many_records();
  for (size_t i = 0; i < changes.size(); ++i) records.add_framed(changes[i]);
  return {};
}

void answer(Plan<Response>& plan, const QuotaEntity& entity, const Status& done) {
  auto& entry = plan.response.entries.emplace_back();
  entry.error_message = std::nullopt;
  for (const auto& [type, name] : entity) {
    auto& e = entry.entity.emplace_back();
    e.entity_type = plan.arena.keep(type);
    e.entity_name = std::nullopt;
    if (name) e.entity_name = plan.arena.keep(*name);
  }
  if (done) return;
  entry.error_code = static_cast<int16_t>(done.error().code);
  entry.error_message = plan.arena.keep(done.error().message);
}

}  // namespace

Result<Plan<Response>> plan_client_quotas(const ControllerView& view, const Request& request) {
  Plan<Response> plan;
  std::map<QuotaEntity, size_t> places;                 // in `results`
  std::vector<std::pair<QuotaEntity, Status>> results;  // one an entity, in the order of the request
  for (const auto& entry : request.entries) {
    const QuotaEntity entity = entity_of(entry);
    const auto [place, first] = places.try_emplace(entity, results.size());
    if (!first) {  // what the first one asks is done all the same, as by Kafka
      results[place->second].second = refuse("Ignoring duplicate entity");
      continue;
    }
    Status done = alter(view.image, entity, entry, plan.records);
    if (!done && done.error().code == ErrorCode::kPolicyViolation) return std::unexpected(done.error());
    results.emplace_back(entity, std::move(done));
  }
  for (const auto& [entity, done] : results) answer(plan, entity, done);
  if (request.validate_only) plan.records.clear();
  return plan;
}

}  // namespace moldau
