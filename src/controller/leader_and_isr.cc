#include "controller/leader_and_isr.h"

#include "base/assert.h"
#include "controller/partition_change.h"
#include "controller/topic_configs.h"

namespace moldau {

Acceptable acceptable_leaders(const ClusterImage& image, const PartitionRegistration& partition) {
  return [&image, &partition](BrokerId id) {
    const BrokerRegistration* broker = image.broker(id);
    return broker && broker->is_active() && broker->has_online_dir(partition.directory_of(id));
  };
}

void add_leader_and_isr_changes(const ControllerView& view, const BrokerShift& shift,
                                const std::vector<TopicPartition>& partitions, RecordBuffer& records) {
  const ClusterImage& image = view.image;
  const MetadataVersion& version = image.metadata_version();
  for (const TopicPartition& which : partitions) {
    const TopicImage* topic = image.topic(which.topic_id);
    const PartitionRegistration* partition = topic ? topic->partition(which.partition) : nullptr;
    ASSERT(partition, "the index is a function of the image");
    PartitionTarget target{.which = which, .partition = *partition};
    target.acceptable = [&](BrokerId id) {
      if (id == shift.removed) return false;
      const BrokerRegistration* broker = image.broker(id);
      return broker && (id == shift.added || broker->is_active()) &&
             broker->has_online_dir(partition->directory_of(id));
    };
    if (unclean_election_enabled(image, topic->name, view.options)) target.election = Election::kUnclean;
    target.isr = partition->isr.without(shift.removed);
    if (const auto record = change_partition(target, version)) records.add(*record, version.partition_record);
  }
}

}  // namespace moldau
