// PrometheusText: writes the text format that Prometheus scrapes (version 0.0.4).
//
//   PrometheusText out;
//   out.family("kafka_server_brokertopicmetrics_messagesin_total", "counter", "records appended");
//   out.sample().label("topic", "orders").value(17);
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace moldau::metrics {

class PrometheusText {
 public:
  static constexpr std::string_view kContentType = "text/plain; version=0.0.4; charset=utf-8";

  explicit PrometheusText(size_t expected_size = 64 << 10) { out_.reserve(expected_size); }

  // The samples that follow are of this metric. `type`: counter, gauge, summary, histogram or untyped.
  void family(std::string_view name, std::string_view type, std::string_view help);

  class Sample {
   public:
    // At most one value(), after all labels.
    Sample& label(std::string_view name, std::string_view value);
    Sample& label(std::string_view name, int64_t value);
    void value(uint64_t v);
    void value(int64_t v);
    void value(double v);

   private:
    friend class PrometheusText;
    explicit Sample(std::string& out) : out_(out) {}
    void end_labels();
    std::string& out_;
    bool any_ = false;
  };
  // `suffix`: _sum, _count or _bucket of the family.
  Sample sample(std::string_view suffix = {});
  // With labels that were written before, as `{topic="orders",partition="5"}`: for those that many families share.
  void sample_of(std::string_view labels, int64_t value);

  std::string take() { return std::move(out_); }

 private:
  std::string out_;
  std::string name_;
};

}  // namespace moldau::metrics
