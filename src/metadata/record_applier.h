// RecordApplier: one record's effect on an image and on the delta beside it. Private to ImageReplay.
#pragma once
#include "metadata/cluster_delta.h"
#include "metadata/cluster_image.h"
#include "metadata/record_buffer.h"
#include "protocol/metadata/broker_registration_change_record.h"
#include "protocol/metadata/clear_elr_record.h"
#include "protocol/metadata/config_record.h"
#include "protocol/metadata/feature_level_record.h"
#include "protocol/metadata/fence_broker_record.h"
#include "protocol/metadata/producer_ids_record.h"
#include "protocol/metadata/remove_topic_record.h"
#include "protocol/metadata/topic_record.h"
#include "protocol/metadata/unfence_broker_record.h"
#include "protocol/metadata/unregister_broker_record.h"
#include "protocol/metadata/unregister_controller_record.h"

namespace moldau {

class RecordApplier {
 public:
  RecordApplier(ClusterImage& image, ClusterDelta& delta, Offset at)
      : image_(image), delta_(delta), at_(at) {}

  // The error says what is wrong with the record, not where it is.
  Status apply(const RecordFrame& frame);

 private:
  struct BrokerChange {  // what any of the three records that change a registration says
    std::optional<bool> fenced;
    bool enters_controlled_shutdown = false;
    const std::vector<Uuid>* log_dirs = nullptr;
    const std::vector<Uuid>* cordoned_log_dirs = nullptr;
  };

  template <class Record>
  Status decoded(const RecordFrame& frame);
  template <class Change>
  Status change_partition(Uuid topic_id, PartitionId partition, Change&& change);
  Status change_broker(int32_t id, int64_t epoch, const BrokerChange& change);
  Status check_broker(int32_t id, int64_t epoch) const;
  TopicChange& touch(const TopicImage& topic);

  Status on(const protocol::RegisterBrokerRecord&);
  Status on(const protocol::UnregisterBrokerRecord&);
  Status on(const protocol::BrokerRegistrationChangeRecord&);
  Status on(const protocol::FenceBrokerRecord&);
  Status on(const protocol::UnfenceBrokerRecord&);
  Status on(const protocol::RegisterControllerRecord&);
  Status on(const protocol::UnregisterControllerRecord&);
  Status on(const protocol::TopicRecord&);
  Status on(const protocol::RemoveTopicRecord&);
  Status on(const protocol::PartitionRecord&);
  Status on(const protocol::PartitionChangeRecord&);
  Status on(const protocol::ClearElrRecord&);
  Status on(const protocol::ConfigRecord&);
  Status on(const protocol::FeatureLevelRecord&);
  Status on(const protocol::ProducerIdsRecord&);

  ClusterImage& image_;
  ClusterDelta& delta_;
  Offset at_;
};

}  // namespace moldau
