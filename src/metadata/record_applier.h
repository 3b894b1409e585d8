// RecordApplier: one record's effect on an image and on the delta beside it. Private to ImageReplay.
#pragma once
#include "metadata/cluster_delta.h"
#include "metadata/cluster_image.h"
#include "protocol/metadata_record.h"

namespace moldau {

class RecordApplier {
 public:
  RecordApplier(ClusterImage& image, ClusterDelta& delta, Offset at)
      : image_(image), delta_(delta), at_(at) {}

  // The error says what is wrong with the record, not where it is.
  Status apply(const protocol::MetadataRecord& record);

 private:
  struct BrokerChange {  // what any of the three records that change a registration says
    std::optional<bool> fenced;
    bool enters_controlled_shutdown = false;
    const std::vector<Uuid>* log_dirs = nullptr;
    const std::vector<Uuid>* cordoned_log_dirs = nullptr;
  };

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
  Status on(const protocol::ClientQuotaRecord&);
  Status on(const protocol::ProducerIdsRecord&);
  Status on(const protocol::NoOpRecord&) { return {}; }
  Status on(const protocol::ZkMigrationStateRecord&) { return {}; }  // of a former life with ZooKeeper
  template <class Other>
  Status on(const Other&) {
    return fail(ErrorCode::kInvalidRecord, "this release can't hold it");
  }

  ClusterImage& image_;
  ClusterDelta& delta_;
  Offset at_;
};

}  // namespace moldau
