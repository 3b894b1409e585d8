#include "controller/driver/controller.h"

#include "controller/activation.h"
#include "controller/admin/config_planner.h"
#include "controller/admin/partition_creation.h"
#include "controller/admin/quota_planner.h"
#include "controller/admin/topic_deletion.h"
#include "controller/broker_planner.h"
#include "controller/directory_planner.h"
#include "controller/driver/controller_term.h"
#include "controller/election_planner.h"
#include "controller/isr_planner.h"
#include "controller/producer_id_planner.h"
#include "controller/reassignment_planner.h"
#include "controller/topic_planner.h"

namespace moldau {
namespace {

constexpr std::string_view kComponent = "controller";

std::unexpected<Error> not_controller() {
  return fail(ErrorCode::kNotController, "this node isn't the active controller");
}

// Hands an answer to the caller's lane; always in a task of its own, so that nothing of the caller's runs inside of ours.
template <class Response>
void reply(io::Lane& lane, ports::Answer<Response>& answer, Result<ports::Kept<Response>> response) {
  lane.post([answer = std::move(answer), response = std::move(response)]() mutable {
    answer(std::move(response));
  });
}

}  // namespace

Controller::Controller(io::Runtime& runtime, RaftDriver& raft, MetadataFollower& follower,
                       ControllerOptions options, RecordBuffer bootstrap)
    : runtime_(runtime),
      lane_(*runtime.lanes().front()),
      raft_(raft),
      follower_(follower),
      options_(std::move(options)),
      bootstrap_(std::move(bootstrap)) {}

Controller::~Controller() = default;

void Controller::on_leader_change(const LeaderAndEpoch& leader) {
  if (term_) {
    const std::shared_ptr<ControllerTerm> ended = std::move(term_);
    term_.reset();
    ended->end();
    runtime_.logger().info(kComponent, "is no longer active");
  }
  if (leader.leader != options_.node_id) return;
  auto term = std::make_shared<ControllerTerm>(runtime_, raft_, follower_, options_, leader.epoch);
  if (Status active = term->activate(bootstrap_); !active) {
    runtime_.logger().error(kComponent, "can't become active: " + active.error().message);
    return raft_.resign(leader.epoch, active.error().message);
  }
  term_ = std::move(term);
  runtime_.logger().info(kComponent, "is active in epoch " + std::to_string(leader.epoch.value));
}

Status Controller::on_commit(const CommittedBatch& batch) {
  if (term_) term_->on_committed(batch.last_offset + int64_t{1});
  return {};
}

// `plan(term, request)` returns a Result of a Plan and may have looked at everything; `Response`'s views stay good through the
// plan's arena and the request's frame.
template <class Request, class Response, class PlanIt>
void Controller::run(ports::Caller caller, ports::Kept<Request> request, ports::Answer<Response> answer,
                     PlanIt plan_it) {
  lane_.run([this, life = std::weak_ptr(life_), caller = std::move(caller), request = std::move(request),
             answer = std::move(answer), plan_it = std::move(plan_it)]() mutable {
    if (!life.expired())
      operate<Request, Response>(std::move(caller), std::move(request), std::move(answer),
                                 std::move(plan_it));
  });
}

// One pass of it.
template <class Request, class Response, class PlanIt>
void Controller::operate(ports::Caller caller, ports::Kept<Request> request, ports::Answer<Response> answer,
                         PlanIt plan_it) {
  if (!term_) return reply<Response>(*caller.lane, answer, not_controller());
  auto plan = plan_it(*term_, request.message, caller);
  if (!plan) return reply<Response>(*caller.lane, answer, std::unexpected(std::move(plan).error()));
  term_->report_refused(plan->refused);
  const bool wait =
      !plan->records.empty() || !std::is_same_v<Request, protocol::BrokerHeartbeatRequest>;  // C4
  if (Status applied = term_->apply(plan->records, plan->atomic); !applied)
    return reply<Response>(*caller.lane, answer, std::unexpected(std::move(applied).error()));
  if (plan->more)  // C6: a task of its own, behind those that wait already
    return lane_.post([this, life = std::weak_ptr(life_), caller = std::move(caller),
                       request = std::move(request), answer = std::move(answer),
                       plan_it = std::move(plan_it)]() mutable {
      if (!life.expired())
        operate<Request, Response>(std::move(caller), std::move(request), std::move(answer),
                                   std::move(plan_it));
    });
  ports::Kept<Response> response{std::move(plan->response), std::move(request.frame), std::move(plan->arena)};
  if (!wait) return reply<Response>(*caller.lane, answer, std::move(response));
  ControllerTerm::Finish finish = [lane = caller.lane, answer = std::move(answer),
                                   response = std::move(response)](Status done) mutable {
    if (done)
      reply<Response>(*lane, answer, std::move(response));
    else
      reply<Response>(*lane, answer, std::unexpected(std::move(done).error()));
  };
  if (std::is_same_v<Request, protocol::BrokerRegistrationRequest>)  // C5
    term_->when_committed(std::move(finish));
  else
    term_->when_shown(std::move(finish));
}

void Controller::create_topics(ports::Caller caller, ports::Kept<protocol::CreateTopicsRequest> request,
                               ports::Answer<protocol::CreateTopicsResponse> answer) {
  run(std::move(caller), std::move(request), std::move(answer),
      [](ControllerTerm& term, const protocol::CreateTopicsRequest& message, const ports::Caller& from) {
        return plan_create_topics(term.view(), message, from.access, term.random());
      });
}

void Controller::delete_topics(ports::Caller caller, ports::Kept<protocol::DeleteTopicsRequest> request,
                               ports::Answer<protocol::DeleteTopicsResponse> answer) {
  run(std::move(caller), std::move(request), std::move(answer),
      [](ControllerTerm& term, const protocol::DeleteTopicsRequest& message, const ports::Caller& from) {
        return plan_delete_topics(term.view(), message, from.version, from.access);
      });
}

void Controller::create_partitions(ports::Caller caller,
                                   ports::Kept<protocol::CreatePartitionsRequest> request,
                                   ports::Answer<protocol::CreatePartitionsResponse> answer) {
  run(std::move(caller), std::move(request), std::move(answer),
      [](ControllerTerm& term, const protocol::CreatePartitionsRequest& message, const ports::Caller& from) {
        return plan_create_partitions(term.view(), message, from.access, term.random());
      });
}

void Controller::incremental_alter_configs(ports::Caller caller,
                                           ports::Kept<protocol::IncrementalAlterConfigsRequest> request,
                                           ports::Answer<protocol::IncrementalAlterConfigsResponse> answer) {
  run(std::move(caller), std::move(request), std::move(answer),
      [](ControllerTerm& term, const protocol::IncrementalAlterConfigsRequest& message,
         const ports::Caller&) { return plan_incremental_alter_configs(term.view(), message); });
}

void Controller::alter_configs(ports::Caller caller, ports::Kept<protocol::AlterConfigsRequest> request,
                               ports::Answer<protocol::AlterConfigsResponse> answer) {
  run(std::move(caller), std::move(request), std::move(answer),
      [](ControllerTerm& term, const protocol::AlterConfigsRequest& message, const ports::Caller&) {
        return plan_alter_configs(term.view(), message);
      });
}

void Controller::elect_leaders(ports::Caller caller, ports::Kept<protocol::ElectLeadersRequest> request,
                               ports::Answer<protocol::ElectLeadersResponse> answer) {
  run(std::move(caller), std::move(request), std::move(answer),
      [](ControllerTerm& term, const protocol::ElectLeadersRequest& message, const ports::Caller&) {
        return plan_elect_leaders(term.view(), message);
      });
}

void Controller::alter_partition_reassignments(
    ports::Caller caller, ports::Kept<protocol::AlterPartitionReassignmentsRequest> request,
    ports::Answer<protocol::AlterPartitionReassignmentsResponse> answer) {
  run(std::move(caller), std::move(request), std::move(answer),
      [](ControllerTerm& term, const protocol::AlterPartitionReassignmentsRequest& message,
         const ports::Caller&) { return plan_reassignments(term.view(), message); });
}

void Controller::alter_client_quotas(ports::Caller caller,
                                     ports::Kept<protocol::AlterClientQuotasRequest> request,
                                     ports::Answer<protocol::AlterClientQuotasResponse> answer) {
  run(std::move(caller), std::move(request), std::move(answer),
      [](ControllerTerm& term, const protocol::AlterClientQuotasRequest& message, const ports::Caller&) {
        return plan_client_quotas(term.view(), message);
      });
}

void Controller::allocate_producer_ids(ports::Caller caller,
                                       ports::Kept<protocol::AllocateProducerIdsRequest> request,
                                       ports::Answer<protocol::AllocateProducerIdsResponse> answer) {
  run(std::move(caller), std::move(request), std::move(answer),
      [](ControllerTerm& term, const protocol::AllocateProducerIdsRequest& message, const ports::Caller&) {
        return plan_producer_ids(term.view(), message);
      });
}

void Controller::register_broker(ports::Caller caller,
                                 ports::Kept<protocol::BrokerRegistrationRequest> request,
                                 ports::Answer<protocol::BrokerRegistrationResponse> answer) {
  run(std::move(caller), std::move(request), std::move(answer),
      [](ControllerTerm& term, const protocol::BrokerRegistrationRequest& message, const ports::Caller&) {
        auto plan = plan_broker_registration(term.view(), message, term.next_offset(), term.now());
        const BrokerRegistration* former = term.view().image.broker(BrokerId(message.broker_id));
        if (plan && former && former->incarnation != message.incarnation_id)
          term.sessions().forget(former->id);
        if (plan && plan->more) term.sessions().begin_leaving(BrokerId(message.broker_id));
        return plan;
      });
}

void Controller::unregister_broker(ports::Caller caller,
                                   ports::Kept<protocol::UnregisterBrokerRequest> request,
                                   ports::Answer<protocol::UnregisterBrokerResponse> answer) {
  run(std::move(caller), std::move(request), std::move(answer),
      [](ControllerTerm& term, const protocol::UnregisterBrokerRequest& message, const ports::Caller&) {
        const BrokerId id(message.broker_id);
        auto plan = plan_unregister_broker(term.view(), id);
        if (plan && plan->more)
          term.sessions().begin_leaving(id);
        else if (plan)
          term.sessions().forget(id);
        return plan;
      });
}

void Controller::heartbeat(ports::Caller caller, ports::Kept<protocol::BrokerHeartbeatRequest> request,
                           ports::Answer<protocol::BrokerHeartbeatResponse> answer) {
  run(std::move(caller), std::move(request), std::move(answer),
      [](ControllerTerm& term, const protocol::BrokerHeartbeatRequest& message, const ports::Caller&) {
        auto plan = plan_heartbeat(term.view(), message);
        if (!plan) return plan;
        const BrokerId id(message.broker_id);
        BrokerSessions& sessions = term.sessions();
        sessions.touch(id, BrokerEpoch(message.broker_epoch), term.now());
        sessions.heard_offset(id, Offset(message.current_metadata_offset));
        if (plan->more) {
          sessions.begin_leaving(id);
          return plan;
        }
        sessions.end_leaving(id);
        if (plan->response.is_fenced) sessions.end_shutdown(id);
        // It may go once the others know that its leaderships have moved: what comes last of this plan.
        if (plan->next == BrokerControlState::kControlledShutdown)
          sessions.begin_shutdown(
              id, term.next_offset() + static_cast<int64_t>(plan->records.size()) - int64_t{1});
        term.watch_sessions();
        return plan;
      });
}

void Controller::alter_partition(ports::Caller caller, ports::Kept<protocol::AlterPartitionRequest> request,
                                 ports::Answer<protocol::AlterPartitionResponse> answer) {
  run(std::move(caller), std::move(request), std::move(answer),
      [](ControllerTerm& term, const protocol::AlterPartitionRequest& message, const ports::Caller& from) {
        return plan_alter_partition(term.view(), message, from.version);
      });
}

void Controller::assign_replicas_to_dirs(ports::Caller caller,
                                         ports::Kept<protocol::AssignReplicasToDirsRequest> request,
                                         ports::Answer<protocol::AssignReplicasToDirsResponse> answer) {
  run(std::move(caller), std::move(request), std::move(answer),
      [](ControllerTerm& term, const protocol::AssignReplicasToDirsRequest& message, const ports::Caller&) {
        return plan_assign_replicas_to_dirs(term.view(), message);
      });
}

void Controller::register_controller(ports::Caller caller,
                                     ports::Kept<protocol::ControllerRegistrationRequest> request,
                                     ports::Answer<protocol::ControllerRegistrationResponse> answer) {
  run(std::move(caller), std::move(request), std::move(answer),
      [](ControllerTerm& term, const protocol::ControllerRegistrationRequest& message, const ports::Caller&) {
        return plan_controller_registration(term.view().image, message);
      });
}

void Controller::unregister_controller(ports::Caller caller,
                                       ports::Kept<protocol::UnregisterControllerRequest> request,
                                       ports::Answer<protocol::UnregisterControllerResponse> answer) {
  run(std::move(caller), std::move(request), std::move(answer),
      [](ControllerTerm& term, const protocol::UnregisterControllerRequest& message, const ports::Caller&) {
        return plan_unregister_controller(term.view(), BrokerId(message.controller_id));
      });
}

}  // namespace moldau
