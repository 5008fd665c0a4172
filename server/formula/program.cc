#include "server/formula/program.h"

#include <cstddef>

#include "server/formula/differentiate.h"
#include "server/formula/graph.h"

namespace activation::formula {
namespace {

// What is known of a vertex once all later ones have been seen, and its register.
struct Place {
  bool is_needed = false;
  bool is_uniform = false;
  // The last vertex that needs it.
  Id last_use = kNone;
  uint32_t reg = 0;
};

std::vector<Place> FindPlaces(const std::vector<Vertex>& vertices, Id result) {
  std::vector<Place> places(vertices.size());
  places[result] = {.is_needed = true, .last_use = static_cast<Id>(vertices.size())};
  for (Id id = result; id >= 0; --id) {
    if (!places[id].is_needed) continue;
    for (const Id argument : vertices[id].arguments) {
      if (argument == kNone) continue;
      places[argument].is_needed = true;
      if (places[argument].last_use == kNone) places[argument].last_use = id;
    }
  }
  for (size_t id = 0; id < vertices.size(); ++id) {
    places[id].is_uniform = vertices[id].op != Op::kX;
    for (const Id argument : vertices[id].arguments) {
      if (argument != kNone && !places[argument].is_uniform) places[id].is_uniform = false;
    }
  }
  return places;
}

Step MakeStep(const Vertex& vertex, const std::vector<Place>& places, uint32_t out) {
  Step step = {.op = vertex.op, .out = out};
  for (size_t i = 0; i < step.arguments.size(); ++i) {
    if (vertex.arguments[i] != kNone) step.arguments[i] = places[vertex.arguments[i]].reg;
  }
  return step;
}

void AddUniformSteps(const std::vector<Vertex>& vertices, std::vector<Place>& places,
                     Program& program) {
  for (size_t id = 0; id < vertices.size(); ++id) {
    if (!places[id].is_needed || !places[id].is_uniform) continue;
    const uint32_t out = places[id].reg = ++program.uniform_registers;
    if (vertices[id].op == Op::kConstant) {
      program.constants.emplace_back(out, vertices[id].value);
    } else {
      program.uniform_steps.push_back(MakeStep(vertices[id], places, out));
    }
  }
  program.registers += program.uniform_registers;
}

void AddSteps(const std::vector<Vertex>& vertices, std::vector<Place>& places, Program& program) {
  std::vector<uint32_t> free;
  for (size_t id = 0; id < vertices.size(); ++id) {
    if (!places[id].is_needed || places[id].is_uniform || vertices[id].op == Op::kX) continue;
    if (free.empty()) free.push_back(program.registers++);
    const uint32_t out = places[id].reg = free.back();
    free.pop_back();
    program.steps.push_back(MakeStep(vertices[id], places, out));
    for (const Id argument : vertices[id].arguments) {
      if (argument == kNone || vertices[argument].op == Op::kX) continue;
      Place& place = places[argument];
      if (place.is_uniform || place.last_use != static_cast<Id>(id)) continue;
      free.push_back(place.reg);
      place.last_use = kNone;  // once, where it is both arguments
    }
  }
}

}  // namespace

Program MakeProgram(const Tree& tree, std::span<const double> parameters, DataType arithmetic,
                    bool is_fused, engine::Quantity quantity) {
  Graph graph(arithmetic);
  const Id result = AddFormula(tree, parameters, quantity, graph);
  if (is_fused) graph.FuseProducts();
  const std::vector<Vertex>& vertices = graph.vertices();
  std::vector<Place> places = FindPlaces(vertices, result);
  Program program = {.arithmetic = arithmetic};
  AddUniformSteps(vertices, places, program);
  AddSteps(vertices, places, program);
  program.result = places[result].reg;
  return program;
}

}  // namespace activation::formula
