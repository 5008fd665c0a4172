// The stand-in as a program, for tests of the command line:  activation-fake-server ADDRESS
//
// Serves until standard input ends, so that it never outlives the test that holds the other end.
#include <chrono>
#include <cstdio>

#include "tests/client/fake_service.h"

int main(int argc, char** argv) {
  if (argc != 2) return std::fputs("usage: activation-fake-server ADDRESS\n", stderr), 1;
  activation::FakeService service;
  const auto server = activation::StartFake(service, argv[1]);
  if (server == nullptr) return 1;
  std::puts("ready");
  std::fflush(stdout);
  while (std::getchar() != EOF) {
  }
  server->Shutdown(std::chrono::system_clock::now() + std::chrono::seconds(1));
}
