// For tests: what is true of a cluster's metadata after every batch, whatever has happened.
//
//   no NewPartition          a partition is created with its leader
//   one leader per epoch     two different brokers never lead a partition in the same leader epoch
//   epochs rise              leader and partition epochs never fall, and the latter rises with each change
//   ISR within replicas      and the leader in the ISR; eligible leaders within replicas, apart from the ISR
//   placeholders             I1 to I5 of under_replicated.h
//   no lost partition        a partition goes only with its topic
//   index                    is a function of the image
//   image equals replay      of the whole log; and of the records of a snapshot of it
#pragma once
#include <map>
#include <string>
#include <tuple>
#include <vector>

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
      if (const auto* p = std::get_if<protocol::PartitionRecord>(&decoded->record); p && p->leader < 0)
        faults.push_back("a partition is created without leader");
    }
    image.topics().for_each([&](const Uuid& id, const TopicImage& topic) {
      topic.partitions.for_each([&](PartitionId index, const PartitionRegistration& p) {
        check_partition(topic, {id, index}, p);
      });
    });
    std::erase_if(last_, [&](const auto& entry) { return !image.topic(entry.first.topic_id); });
    for (const auto& [which, epochs] : last_)
      if (!image.partition(which)) fault(*image.topic(which.topic_id), which, "is lost");
    ClusterIndex anew;
    anew.rebuild(image);
    if (!(anew == cluster.view().index)) faults.push_back("the index isn't a function of the image");
  }
  // At the end, because it takes long.
  void check_replay(const FakeCluster& cluster) {
    ImageReplay all;
    int64_t offset = 0;
    for (const auto& batch : cluster.log())
      for (const std::string& record : batch)
        (void)all.replay(as_bytes(record), {Offset(offset++), LeaderEpoch(1), 0});
    if (!all.in_transaction() && !all.image().same_content(cluster.image()))
      faults.push_back("the image isn't what replay makes of the log");
    ImageReplay snapshot;
    snapshot.begin_snapshot();
    write_image(cluster.image(), [&](const RecordBuffer& records) {
      for (size_t i = 0; i < records.size(); ++i)
        (void)snapshot.replay(records[i], {Offset(0), LeaderEpoch(1), 0});
    });
    snapshot.end_snapshot({Offset(0), LeaderEpoch(1), 0});
    if (!snapshot.image().same_content(cluster.image())) faults.push_back("a snapshot isn't the image");
  }

  std::vector<std::string> faults;

 private:
  struct Epochs {
    LeaderEpoch leader_epoch;
    PartitionEpoch partition_epoch;
    BrokerId leader;
  };

  void fault(const TopicImage& topic, const TopicPartition& which, const std::string& why) {
    faults.push_back(topic.name + "-" + std::to_string(which.partition.value) + " " + why);
  }

  void check_partition(const TopicImage& topic, const TopicPartition& which, const PartitionRegistration& p) {
    const auto [known, is_new] = last_.try_emplace(which, p.leader_epoch, p.partition_epoch, p.leader);
    Epochs& last = known->second;
    if (p.leader_epoch < last.leader_epoch || p.partition_epoch < last.partition_epoch)
      fault(topic, which, "has an epoch that fell");
    if (p.leader_epoch == last.leader_epoch && p.leader != last.leader)
      fault(topic, which, "has two leaders in an epoch");
    last = {p.leader_epoch, p.partition_epoch, p.leader};
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
    for (int32_t id : p.adding_replicas.raw())
      if (id < 0) fault(topic, which, "I1: adds a placeholder");
  }

  std::map<TopicPartition, Epochs> last_;
};

}  // namespace moldau::test
