// For tests: what is true of a cluster's metadata after every batch, whatever has happened.
//
//   no NewPartition          a partition is created with its leader
//   one leader per epoch     two different brokers never lead a partition in the same leader epoch
//   epochs rise              leader and partition epochs never fall, and the latter rises with each change, but for
//                            ClearElr's
//   ISR within replicas      and the leader in the ISR; eligible leaders within replicas, apart from the ISR
//   placeholders             I1 to I4 and I6 of under_replicated.h; I5 is about those who read
//   no lost partition        a partition goes only with its topic
//   index                    is a function of the image
//   image equals replay      of the whole log; and of the records of a snapshot of it
#pragma once
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "controller/state/topic_configs.h"
#include "controller/testdata/fake_cluster.h"
#include "metadata/image_writer.h"

namespace moldau::test {

class ClusterInvariants {
 public:
  // After each batch.
  void check(const FakeCluster& cluster) {
    const ClusterImage& image = cluster.image();
    for (const std::string& record : cluster.log().back()) {
      const auto decoded = protocol::decode_metadata_record(as_bytes(record));
      if (const auto* p = std::get_if<protocol::PartitionRecord>(&decoded->record)) check_new(cluster, *p);
    }
    image.topics().for_each([&](const Uuid& id, const TopicImage& topic) {
      topic.partitions.for_each([&](PartitionId index, const PartitionRegistration& p) {
        check_partition(topic, {id, index}, p);
      });
    });
    std::erase_if(last_, [&](const auto& entry) { return !image.topic(entry.first.topic_id); });
    for (const auto& [which, epochs] : last_)
      if (!image.partition(which)) fault(*image.topic(which.topic_id), which, "is lost");
    check_index(cluster.view().index, image);
  }
  // At the end, because it takes long.
  void check_replay(const FakeCluster& cluster) {
    check_log(cluster.log(), cluster.image());
    std::vector<RecordBuffer> snapshot;
    write_image(cluster.image(), [&](const RecordBuffer& records) { snapshot.push_back(records); });
    check_snapshot(snapshot, cluster.image());
  }

  void check_index(const ClusterIndex& index, const ClusterImage& image) {
    ClusterIndex anew;
    anew.rebuild(image);
    if (!(anew == index)) faults.push_back("the index isn't a function of the image");
  }
  void check_log(const std::vector<std::vector<std::string>>& log, const ClusterImage& image) {
    ImageReplay all;
    int64_t offset = 0;
    for (const auto& batch : log)
      for (const std::string& record : batch)
        (void)all.replay(as_bytes(record), {Offset(offset++), LeaderEpoch(1), 0});
    if (!all.in_transaction() && !all.image().same_content(image))
      faults.push_back("the image isn't what replay makes of the log");
  }
  void check_snapshot(const std::vector<RecordBuffer>& snapshot, const ClusterImage& image) {
    ImageReplay loaded;
    loaded.begin_snapshot();
    for (const RecordBuffer& batch : snapshot)
      for (size_t i = 0; i < batch.size(); ++i)
        (void)loaded.replay(batch[i], {Offset(0), LeaderEpoch(1), 0});
    loaded.end_snapshot({Offset(0), LeaderEpoch(1), 0});
    if (!loaded.image().same_content(image)) faults.push_back("a snapshot isn't the image");
  }

  std::vector<std::string> faults;

 private:
  void check_new(const FakeCluster& cluster, const protocol::PartitionRecord& record) {
    if (record.leader < 0) faults.push_back("a partition is created without leader");
    const auto brokers = std::ranges::count_if(record.replicas, [](int32_t id) { return id >= 0; });
    const TopicImage* topic = cluster.image().topic(record.topic_id);
    if (!topic || static_cast<size_t>(brokers) == record.replicas.size()) return;
    const int32_t least = effective_min_isr(cluster.image(), *topic, cluster.options);
    if (static_cast<int32_t>(record.isr.size()) < least)
      fault(*topic, {record.topic_id, PartitionId(record.partition_id)},
            "I6: is created with fewer than min.insync.replicas");
  }

  // As it was but for what changes without an epoch.
  static PartitionRegistration lasting(PartitionRegistration p) {
    p.elr = p.last_known_elr = {};
    return p;
  }

  void fault(const TopicImage& topic, const TopicPartition& which, const std::string& why) {
    faults.push_back(topic.name + "-" + std::to_string(which.partition.value) + " " + why);
  }

  void check_partition(const TopicImage& topic, const TopicPartition& which, const PartitionRegistration& p) {
    const auto [known, is_new] = last_.try_emplace(which, lasting(p));
    PartitionRegistration& last = known->second;
    if (p.leader_epoch < last.leader_epoch || p.partition_epoch < last.partition_epoch)
      fault(topic, which, "has an epoch that fell");
    if (p.leader_epoch == last.leader_epoch && p.leader != last.leader)
      fault(topic, which, "has two leaders in an epoch");
    if (PartitionRegistration now = lasting(p); !(now == last)) {
      if (p.partition_epoch == last.partition_epoch) fault(topic, which, "has changed in an epoch");
      last = std::move(now);
    }
    if (p.has_leader() && !p.isr.contains(p.leader)) fault(topic, which, "has a leader outside of its ISR");
    for (int32_t id : p.isr.raw())
      if (id < 0 || !p.replicas.contains(BrokerId(id)) || p.elr.contains(BrokerId(id)))
        fault(topic, which, "has an ISR that can't be");
    for (int32_t id : p.elr.raw())
      if (id < 0 || !p.replicas.contains(BrokerId(id)))
        fault(topic, which, "has eligible leaders that can't be");
    check_placeholders(topic, which, p);
  }

  void check_placeholders(const TopicImage& topic, const TopicPartition& which,
                          const PartitionRegistration& p) {
    if (p.replicas.empty() || p.replicas[0].value < 0) fault(topic, which, "I4: begins with a placeholder");
    int32_t expected = -1;
    for (size_t i = 0; i < p.replicas.size(); ++i) {
      const int32_t id = p.replicas[i].value;
      if (id >= 0 && expected != -1) fault(topic, which, "I2: has a broker behind a placeholder");
      if (id < 0 && id != expected--) fault(topic, which, "I2: has placeholders out of order");
      if (id < 0 && p.directories[i] != kUnassignedDirectory)
        fault(topic, which, "I3: has a placeholder in a directory");
    }
    for (const ReplicaList* list : {&p.adding_replicas, &p.last_known_elr})
      for (int32_t id : list->raw())
        if (id < 0) fault(topic, which, "I1: has a placeholder where none can be");
  }

  std::map<TopicPartition, PartitionRegistration> last_;
};

}  // namespace moldau::test
