#include "controller/state/leader_and_isr.h"

#include "base/assert.h"

namespace moldau {

bool add_leader_and_isr_changes(const ControllerView& view, const BrokerShift& shift,
                                const ClusterIndex::Partitions& partitions, const Concerned& concerned,
                                size_t limit, PartitionChanges& changes) {
  const ClusterImage& image = view.image;
  const TopicImage* topic = nullptr;
  for (const TopicPartition& which : partitions) {
    if (!topic || topic->id != which.topic_id) topic = image.topic(which.topic_id);
    const PartitionRegistration* partition = topic ? changes.find(*topic, which.partition) : nullptr;
    ASSERT(partition, "the index is a function of the image");
    if (!concerned(*partition)) continue;
    if (changes.planned() >= limit) return false;
    PartitionTarget target = changes.target_by_config(*topic, which.partition, *partition);
    target.acceptable = [&](BrokerId id) {
      if (id == shift.removed || id == shift.unclean_shutdown) return false;
      const BrokerRegistration* broker = image.broker(id);
      return broker && (id == shift.added || broker->is_active()) &&
             broker->has_online_dir(partition->directory_of(id));
    };
    target.isr = partition->isr.without(shift.removed).without(shift.unclean_shutdown);
    target.unclean_shutdown = shift.unclean_shutdown;
    changes.apply(*topic, target);
  }
  return true;
}

}  // namespace moldau
