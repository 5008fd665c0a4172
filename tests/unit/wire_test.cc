// The wire format against the generated classes: whatever they read, the reader reads the same, and
// whatever the writer writes, they read.
#include <absl/strings/escaping.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <map>
#include <random>

#include "proto/element_type.h"
#include "server/wire/read_request.h"
#include "server/wire/write_reply.h"
#include "tests/unit/requests.h"

namespace activation::server {
namespace {

constexpr int64_t kManyItems = 1'000'000;
constexpr size_t kSliceSizes[] = {1, 2, 3, 7, 64, 1'000, 1'000'000};

std::string Joined(const Pieces& pieces) {
  std::string bytes;
  for (const Piece& piece : pieces) {
    EXPECT_EQ(piece.begin, bytes.size());
    EXPECT_GT(piece.size, 0u);
    bytes.append(reinterpret_cast<const char*>(piece.data), piece.size);
  }
  return bytes;
}

template <typename Number>
std::string BitsOf(const Number* numbers, size_t count) {
  if (count == 0) return "";
  return std::string(reinterpret_cast<const char*>(numbers), count * sizeof(Number));
}

void ExpectSame(const RawTensor& raw, const v1::Tensor& message) {
  EXPECT_EQ(raw.data_type, message.data_type());
  ASSERT_EQ(raw.rank, message.shape_size());
  ASSERT_EQ(raw.shape.size(), static_cast<size_t>(std::min(message.shape_size(), kMaxRank)));
  for (size_t i = 0; i < raw.shape.size(); ++i) {
    EXPECT_EQ(raw.shape[i], message.shape(static_cast<int>(i)));
  }
  EXPECT_EQ(Joined(raw.data), message.data());
  EXPECT_EQ(BitsOf(raw.float_values.data(), raw.float_values.size()),
            BitsOf(message.float_values().data(), message.float_values_size()));
  EXPECT_EQ(BitsOf(raw.double_values.data(), raw.double_values.size()),
            BitsOf(message.double_values().data(), message.double_values_size()));
}

std::optional<int32_t> AxisOf(const v1::AxisTensor& message) {
  return message.has_axis() ? std::optional(message.axis()) : std::nullopt;
}

void ExpectSame(const RawAxisTensor& raw, const v1::AxisTensor& message) {
  ASSERT_EQ(raw.values.has_value(), message.has_values());
  if (raw.values) ExpectSame(*raw.values, message.values());
  EXPECT_EQ(raw.axis, AxisOf(message));
}

void ExpectSame(const RawActivation& raw, const v1::Activation& message) {
  EXPECT_EQ(raw.name, message.name().substr(0, kMaxNameBytes + 1));
  EXPECT_EQ(raw.axis, message.has_axis() ? std::optional(message.axis()) : std::nullopt);
  ASSERT_EQ(raw.parameter_tensors.size(), static_cast<size_t>(message.parameter_tensors_size()));
  for (const auto& [name, tensor] : raw.parameter_tensors) {
    ASSERT_TRUE(message.parameter_tensors().contains(name));
    ExpectSame(tensor, message.parameter_tensors().at(name));
  }
  if (message.parameters_size() > kMaxRequestParameters) {
    EXPECT_EQ(raw.parameters.size(), kMaxRequestParameters + 1u);
    return;
  }
  std::map<std::string, uint64_t> expected;
  for (const auto& [name, value] : message.parameters()) {
    expected[name] = std::bit_cast<uint64_t>(value);
  }
  std::map<std::string, uint64_t> found;
  for (const auto& [name, value] : raw.parameters) found[name] = std::bit_cast<uint64_t>(value);
  EXPECT_EQ(found, expected);
}

void ExpectSame(const RawItem& raw, const v1::GradientEvaluation& message) {
  ASSERT_EQ(raw.activation.has_value(), message.has_activation());
  if (raw.activation) ExpectSame(*raw.activation, message.activation());
  ASSERT_EQ(raw.input.has_value(), message.has_input());
  if (raw.input) ExpectSame(*raw.input, message.input());
  EXPECT_EQ(raw.output_type, message.output_type());
  ASSERT_EQ(raw.upstream.has_value(), message.has_upstream());
  if (raw.upstream) ExpectSame(*raw.upstream, message.upstream());
  EXPECT_EQ(raw.return_value, message.return_value());
  EXPECT_EQ(raw.return_parameter_gradients, message.return_parameter_gradients());
  ASSERT_EQ(raw.bias.has_value(), message.has_bias());
  if (raw.bias) ExpectSame(*raw.bias, message.bias());
}

// Whether both took the bytes as a GradientRequest; that they then read the same, or both refused.
bool ExpectSameReading(const std::string& bytes, size_t slice_size) {
  v1::GradientRequest message;
  const bool parsed = message.ParseFromString(bytes);
  const grpc::ByteBuffer buffer = InSlices(bytes, slice_size);
  const auto raw = ReadRequest(buffer, Cardinality::kBatch, kManyItems);
  EXPECT_EQ(raw.has_value(), parsed) << absl::CHexEscape(bytes);
  if (!raw || !parsed) return false;
  EXPECT_EQ(raw->items.size(), static_cast<size_t>(message.gradients_size()));
  for (int i = 0; i < message.gradients_size() && !testing::Test::HasFatalFailure(); ++i) {
    ExpectSame(raw->items[static_cast<size_t>(i)], message.gradients(i));
  }
  return true;
}

// Messages with everything in them, at random.
class Generator {
 public:
  explicit Generator(uint32_t seed) : random_(seed) {}

  uint32_t Below(uint32_t bound) { return random_() % bound; }
  bool Coin() { return Below(2) == 0; }

  std::string Text(uint32_t most) {
    std::string text(Below(most + 1), 'x');
    for (char& c : text) c = static_cast<char>('a' + Below(26));
    return text;
  }

  double Number() { return std::ldexp(static_cast<double>(Below(1'000)) - 500, Below(60)); }

  void Fill(v1::Tensor& tensor) {
    if (Coin()) tensor.set_data_type(static_cast<v1::DataType>(static_cast<int>(Below(7)) - 1));
    for (uint32_t i = Below(4); i > 0; --i) tensor.add_shape(static_cast<int64_t>(Number()));
    if (Coin()) tensor.set_data(Text(300));
    for (uint32_t i = Below(4); i > 0; --i) tensor.add_float_values(static_cast<float>(Number()));
    for (uint32_t i = Below(4); i > 0; --i) tensor.add_double_values(Number());
  }

  void Fill(v1::AxisTensor& tensor) {
    if (Coin()) Fill(*tensor.mutable_values());
    if (Coin()) tensor.set_axis(static_cast<int32_t>(Below(9)) - 4);
  }

  void Fill(v1::Activation& activation) {
    activation.set_name(Text(80));
    for (uint32_t i = Below(4); i > 0; --i) (*activation.mutable_parameters())[Text(3)] = Number();
    for (uint32_t i = Below(3); i > 0; --i) {
      Fill((*activation.mutable_parameter_tensors())[Text(1)]);
    }
    if (Coin()) activation.set_axis(static_cast<int32_t>(Below(9)) - 4);
  }

  v1::GradientRequest Request() {
    v1::GradientRequest request;
    for (uint32_t i = Below(4); i > 0; --i) {
      v1::GradientEvaluation& item = *request.add_gradients();
      if (Coin()) Fill(*item.mutable_activation());
      if (Coin()) Fill(*item.mutable_input());
      if (Coin()) Fill(*item.mutable_upstream());
      item.set_output_type(static_cast<v1::DataType>(Below(6)));
      item.set_return_value(Coin());
      item.set_return_parameter_gradients(Coin());
      if (Coin()) Fill(*item.mutable_bias());
    }
    return request;
  }

 private:
  std::mt19937 random_;
};

TEST(ReadRequest, ReadsWhatTheGeneratedClassesRead) {
  Generator generator(1);
  for (int round = 0; round < 500; ++round) {
    const std::string bytes = generator.Request().SerializeAsString();
    for (const size_t slice_size : kSliceSizes) {
      EXPECT_TRUE(ExpectSameReading(bytes, slice_size)) << "round " << round;
    }
  }
}

TEST(ReadRequest, MergesAFieldThatStandsTwiceAsTheGeneratedClassesDo) {
  Generator generator(2);
  for (int round = 0; round < 500; ++round) {
    // Two bodies of one item, one after the other under one length.
    v1::GradientEvaluation first;
    v1::GradientEvaluation second;
    for (v1::GradientEvaluation* item : {&first, &second}) {
      generator.Fill(*item->mutable_activation());
      generator.Fill(*item->mutable_input());
      generator.Fill(*item->mutable_upstream());
      generator.Fill(*item->mutable_bias());
    }
    const std::string body = first.SerializeAsString() + second.SerializeAsString();
    std::string bytes(1, '\x0a');
    google::protobuf::io::StringOutputStream stream(&bytes);
    {
      google::protobuf::io::CodedOutputStream out(&stream);
      out.WriteVarint32(static_cast<uint32_t>(body.size()));
      out.WriteString(body);
    }
    EXPECT_TRUE(ExpectSameReading(bytes, 50)) << "round " << round;
  }
}

TEST(ReadRequest, AcceptsAndRefusesDamagedBytesAsTheGeneratedClassesDo) {
  // They log each name that is not UTF-8.
  const google::protobuf::LogSilencer silence;
  Generator generator(3);
  int accepted = 0;
  int refused = 0;
  for (int round = 0; round < 50'000 && !HasFailure(); ++round) {
    std::string bytes = generator.Request().SerializeAsString();
    if (bytes.empty()) continue;
    for (uint32_t i = generator.Below(3) + 1; i > 0; --i) {
      const size_t at = generator.Below(static_cast<uint32_t>(bytes.size()));
      if (generator.Below(10) == 0) {
        bytes.resize(at + 1);
      } else if (generator.Below(10) == 0) {
        bytes.insert(at, 1, static_cast<char>(generator.Below(256)));
      } else {
        bytes[at] = static_cast<char>(generator.Below(256));
      }
    }
    ++(ExpectSameReading(bytes, 1 + generator.Below(100)) ? accepted : refused);
  }
  EXPECT_GT(accepted, 1'000);
  EXPECT_GT(refused, 1'000);
}

TEST(ReadRequest, MergesTheChunksOfOneStreamMessage) {
  v1::GradientStreamRequest first;
  first.mutable_gradient()->mutable_activation()->set_name("elu");
  first.mutable_gradient()->mutable_input()->add_shape(2);
  v1::GradientStreamRequest second;
  second.mutable_gradient()->mutable_input()->add_shape(3);
  const std::string bytes = first.SerializeAsString() + second.SerializeAsString();
  v1::GradientStreamRequest both;
  ASSERT_TRUE(both.ParseFromString(bytes));
  const grpc::ByteBuffer buffer = InSlices(bytes, 5);
  const auto raw = ReadRequest(buffer, Cardinality::kSingle, kManyItems);
  ASSERT_TRUE(raw.has_value());
  ASSERT_EQ(raw->items.size(), 1u);
  ExpectSame(raw->items[0], both.gradient());
}

TEST(ReadRequest, RefusesWhatIsNotAMessage) {
  const std::string huge_length = "\xff\xff\xff\xff\x07";  // 2^31 - 1
  const std::string cases[] = {
      "\x0a",                // no length
      "\x0a\x05\x12",        // shorter than its length
      "\x0a" + huge_length,  // nothing behind the length
      "\x0a" + huge_length + "\x12" + huge_length + "\x22" + huge_length,  // values, three deep
      "\x0a\xff\xff\xff\xff\x0f",                                          // a length of 2^32 - 1
      "\x0a\x04\x12\x02\x22\x03",                                          // values that are cut
      "\x0a\x05\x12\x03\x22\x01\x41",                                      // a quarter of a float
      "\x0a\x0b\x18\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",  // a varint without an end
      std::string("\x00\x00", 2),                              // field 0
      "\x0c",                                                  // the end of no group
      "\x0f",                                                  // wire type 7
      std::string(100'000, '\x13'),                            // groups in groups
  };
  for (const std::string& bytes : cases) {
    const grpc::ByteBuffer buffer = InSlices(bytes, 3);
    EXPECT_FALSE(ReadRequest(buffer, Cardinality::kBatch, kManyItems).has_value())
        << testing::PrintToString(bytes.substr(0, 30));
    EXPECT_FALSE(v1::GradientRequest().ParseFromString(bytes));
  }
}

TEST(ReadRequest, StopsOneItemAfterTheLimit) {
  std::string bytes;
  for (int i = 0; i < 1'000'000; ++i) bytes += std::string("\x0a\x00", 2);
  const grpc::ByteBuffer buffer = InSlices(bytes, 65'536);
  const auto raw = ReadRequest(buffer, Cardinality::kBatch, 1'024);
  ASSERT_TRUE(raw.has_value());
  EXPECT_EQ(raw->items.size(), 1'025u);
}

TEST(ReadRequest, KeepsABoundedNumberOfExtentsParametersAndBytesOfNames) {
  v1::GradientRequest message;
  v1::GradientEvaluation& item = *message.add_gradients();
  item.mutable_activation()->set_name(std::string(1'000'000, 'n'));
  for (int i = 0; i < 10'000; ++i) {
    (*item.mutable_activation()->mutable_parameters())[std::to_string(i)] = i;
    (*item.mutable_activation()->mutable_parameter_tensors())[std::to_string(i)].set_axis(i);
    item.mutable_input()->add_shape(1);
  }
  const grpc::ByteBuffer buffer = InSlices(message.SerializeAsString(), 65'536);
  const auto raw = ReadRequest(buffer, Cardinality::kBatch, kManyItems);
  ASSERT_TRUE(raw.has_value());
  EXPECT_EQ(raw->items[0].activation->name.size(), kMaxNameBytes + 1u);
  EXPECT_EQ(raw->items[0].activation->parameters.size(), kMaxRequestParameters + 1u);
  EXPECT_EQ(raw->items[0].activation->parameter_tensors.size(), kMaxRequestParameters + 1u);
  EXPECT_EQ(raw->items[0].input->shape.size(), static_cast<size_t>(kMaxRank));
  EXPECT_EQ(raw->items[0].input->rank, 10'000);
}

// What the engine would write: each byte tells where it is.
void FillData(std::byte* data, size_t size, int salt) {
  for (size_t i = 0; i < size; ++i) data[i] = static_cast<std::byte>(i * 7 + salt);
}

std::string FilledData(size_t size, int salt) {
  std::string data(size, '\0');
  FillData(reinterpret_cast<std::byte*>(data.data()), size, salt);
  return data;
}

v1::Tensor Expected(const ReplyTensor& tensor, int salt) {
  v1::Tensor message;
  message.set_data_type(static_cast<v1::DataType>(NumberOf(tensor.type)));
  for (const int64_t extent : tensor.shape) message.add_shape(extent);
  const std::string data =
      FilledData(static_cast<size_t>(tensor.count) * ReplyElementSize(tensor), salt);
  if (data.empty()) return message;
  if (tensor.encoding == Encoding::kBytes) {
    message.set_data(data);
  } else if (tensor.type == DataType::kFloat64) {
    message.mutable_double_values()->Resize(static_cast<int>(tensor.count), 0);
    std::memcpy(message.mutable_double_values()->mutable_data(), data.data(), data.size());
  } else {
    message.mutable_float_values()->Resize(static_cast<int>(tensor.count), 0);
    std::memcpy(message.mutable_float_values()->mutable_data(), data.data(), data.size());
  }
  return message;
}

ReplyTensor RandomTensor(Generator& generator) {
  ReplyTensor tensor = {.type = static_cast<DataType>(generator.Below(kDataTypeCount)),
                        .encoding = generator.Coin() ? Encoding::kBytes : Encoding::kValues,
                        .shape = {},
                        .count = generator.Below(300)};
  if (generator.Coin()) tensor.shape = {1, tensor.count, 1'000'000};
  return tensor;
}

ReplyTensor RandomGradient(Generator& generator) {
  ReplyTensor tensor = RandomTensor(generator);
  tensor.type = DataType::kFloat64;
  return tensor;
}

ReplyItem RandomItem(Generator& generator) {
  ReplyItem item;
  item.result = RandomTensor(generator);
  if (generator.Coin()) item.value = RandomTensor(generator);
  if (generator.Below(4) == 0) {
    item.activation.row = engine::RowCatalogue()[generator.Below(2)];
    item.activation.axis = static_cast<int>(generator.Below(kMaxRank));
    return item;
  }
  const auto catalogue = engine::Catalogue();
  const uint32_t index = generator.Below(static_cast<uint32_t>(catalogue.size()));
  item.activation.function = engine::WithDefaults(*catalogue[index]);
  item.has_parameter_gradients = generator.Coin();
  for (size_t p = 0; p < item.activation.parameters().size(); ++p) {
    if (generator.Coin()) continue;
    item.activation.is_tensor[p] = true;
    if (item.has_parameter_gradients) {
      item.tensor_gradients.emplace_back(p, RandomGradient(generator));
    }
  }
  if (item.has_parameter_gradients && generator.Coin()) {
    item.bias_gradient = RandomGradient(generator);
  }
  return item;
}

size_t SizeOf(const ReplyTensor& tensor) {
  return static_cast<size_t>(tensor.count) * ReplyElementSize(tensor);
}

// What the engine would do; returns the message that the reply then is.
v1::GradientResult Fill(const ReplyItem& item, const Destination& destination) {
  v1::GradientResult result;
  const ReplyActivation& activation = item.activation;
  result.mutable_activation()->set_name(activation.name());
  if (activation.row != nullptr) result.mutable_activation()->set_axis(activation.axis);
  const auto fill = [](const ReplyTensor& tensor, std::byte* data, int salt) {
    FillData(data, SizeOf(tensor), salt);
    return Expected(tensor, salt);
  };
  *result.mutable_gradient() = fill(item.result, destination.result, 1);
  if (item.value) *result.mutable_value() = fill(*item.value, destination.value, 2);
  const auto parameters = activation.parameters();
  for (size_t p = 0; p < parameters.size(); ++p) {
    if (activation.is_tensor[p]) continue;
    (*result.mutable_activation()->mutable_parameters())[parameters[p].name] =
        activation.function.parameters[p];
    if (!item.has_parameter_gradients) continue;
    const double gradient = 0.5 + static_cast<double>(p);
    std::memcpy(destination.parameter_gradients[p], &gradient, sizeof(gradient));
    (*result.mutable_parameter_gradients())[parameters[p].name] = gradient;
  }
  for (const auto& [p, tensor] : item.tensor_gradients) {
    const auto place = static_cast<size_t>(p);
    (*result.mutable_parameter_tensor_gradients())[parameters[place].name] =
        fill(tensor, destination.parameter_gradients[place], 3 + p);
  }
  if (item.bias_gradient) {
    *result.mutable_bias_gradient() = fill(*item.bias_gradient, destination.bias_gradient, 9);
  }
  return result;
}

TEST(MakeReply, WritesWhatTheGeneratedClassesRead) {
  Generator generator(4);
  for (int round = 0; round < 500; ++round) {
    std::vector<ReplyItem> items(1 + generator.Below(5));
    for (ReplyItem& item : items) item = RandomItem(generator);
    const Reply reply = MakeReply(items);
    v1::GradientResponse expected;
    for (size_t i = 0; i < items.size(); ++i) {
      *expected.add_results() = Fill(items[i], reply.destinations[i]);
    }
    v1::GradientResponse message;
    ASSERT_TRUE(message.ParseFromString(BytesOf(reply.buffer)));
    EXPECT_EQ(message.ByteSizeLong(), reply.buffer.Length());
    EXPECT_EQ(static_cast<int64_t>(reply.buffer.Length()), ReplySize(items));
    // NaN is no obstacle: bytes are compared, in a form that is the same for equal messages.
    EXPECT_EQ(message.ShortDebugString(), expected.ShortDebugString());
  }
}

}  // namespace
}  // namespace activation::server
