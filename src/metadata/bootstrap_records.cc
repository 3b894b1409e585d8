#include "metadata/bootstrap_records.h"

#include "metadata/features.h"
#include "protocol/metadata/feature_level_record.h"

namespace moldau {

RecordBuffer default_bootstrap_records() {
  RecordBuffer records;
  records.add(
      protocol::FeatureLevelRecord{.name = kMetadataVersionFeature, .feature_level = kLatestMetadataVersion},
      0);
  return records;
}

}  // namespace moldau
