#include "controller/admin/topic_deletion.h"

#include <map>
#include <set>

#include "protocol/metadata/remove_topic_record.h"

namespace moldau {
namespace {

using Request = protocol::DeleteTopicsRequest;
using Response = protocol::DeleteTopicsResponse;

class Deletion {
 public:
  Deletion(const ControllerView& view, const Request& request, const TopicAccess& access)
      : view_(view), request_(request), access_(access) {}

  Result<Plan<Response>> plan() {
    sort_out();
    for (const Uuid& id : ids_) take_id(id);
    for (std::string_view name : names_) take_name(name);
    if (chosen_.size() > kMaxRecordsPerPlan) return too_many_records();
    for (const auto& [id, name] : chosen_) {
      plan_.records.add(protocol::RemoveTopicRecord{.topic_id = id}, 0);
      answer(name, id);
    }
    return std::move(plan_);
  }

 private:
  // Which names and ids are asked for, each once; what is contradictory or repeated is answered here.
  void sort_out() {
    std::set<std::string_view> repeated_names;
    std::set<Uuid> repeated_ids;
    const auto name = [&](std::string_view n) {
      if (!names_.insert(n).second) repeated_names.insert(n);
    };
    for (std::string_view n : request_.topic_names) name(n);
    for (const Request::DeleteTopicState& topic : request_.topics) {
      const bool has_id = !topic.topic_id.is_zero();
      if (topic.name && has_id)
        answer(topic.name, topic.topic_id, ErrorCode::kInvalidRequest,
               "You may not specify both topic name and topic id.");
      else if (topic.name)
        name(*topic.name);
      else if (!has_id)
        answer(std::nullopt, {}, ErrorCode::kInvalidRequest, "Neither topic name nor id were specified.");
      else if (!ids_.insert(topic.topic_id).second)
        repeated_ids.insert(topic.topic_id);
    }
    for (std::string_view n : repeated_names) {
      names_.erase(n);
      answer(n, {}, ErrorCode::kInvalidRequest, "Duplicate topic name.");
    }
    for (const Uuid& id : repeated_ids) {
      ids_.erase(id);
      answer(std::nullopt, id, ErrorCode::kInvalidRequest, "Duplicate topic id.");
    }
  }

  void take_id(const Uuid& id) {
    const TopicImage* topic = view_.image.topic(id);
    if (!topic)
      return answer(std::nullopt, id, ErrorCode::kUnknownTopicId, "This server does not host this topic ID.");
    if (TopicAccess::allows(access_.remove, topic->name)) {
      chosen_[id] = topic->name;
      return;
    }
    const bool may_know = TopicAccess::allows(access_.describe, topic->name);
    answer(may_know ? std::optional<std::string_view>(topic->name) : std::nullopt, id,
           ErrorCode::kTopicAuthorizationFailed, "Topic authorization failed.");
  }

  void take_name(std::string_view name) {
    const TopicImage* topic = view_.image.topic(name);
    if (!TopicAccess::allows(access_.describe, name))
      return answer(name, {}, ErrorCode::kTopicAuthorizationFailed, "Topic authorization failed.");
    if (!topic)
      return answer(name, {}, ErrorCode::kUnknownTopicOrPartition,
                    "This server does not host this topic-partition.");
    if (!TopicAccess::allows(access_.remove, name))
      return answer(name, {}, ErrorCode::kTopicAuthorizationFailed, "Topic authorization failed.");
    if (chosen_.erase(topic->id)) {
      return answer(name, topic->id, ErrorCode::kInvalidRequest,
                    "The provided topic name maps to an ID that was already supplied.");
    }
    chosen_[topic->id] = topic->name;
  }

  void answer(std::optional<std::string_view> name, const Uuid& id, ErrorCode error = ErrorCode::kNone,
              std::string message = {}) {
    auto& result = plan_.response.responses.emplace_back();
    result.name = std::nullopt;
    if (name) result.name = plan_.arena.keep(std::string(*name));
    result.topic_id = id;
    result.error_code = static_cast<int16_t>(error);
    if (error != ErrorCode::kNone) result.error_message = plan_.arena.keep(std::move(message));
  }

  const ControllerView& view_;
  const Request& request_;
  const TopicAccess& access_;
  std::set<std::string_view> names_;
  std::set<Uuid> ids_;
  std::map<Uuid, std::string_view> chosen_;
  Plan<Response> plan_;
};

}  // namespace

Result<Plan<Response>> plan_delete_topics(const ControllerView& view, const Request& request, int16_t version,
                                          const TopicAccess& access) {
  if (!view.options.delete_topic_enable) {
    if (version < 3) return fail(ErrorCode::kInvalidRequest, "Topic deletion is disabled.");
    return fail(ErrorCode::kTopicDeletionDisabled, "Topic deletion is disabled.");
  }
  return Deletion(view, request, access).plan();
}

}  // namespace moldau
