// perfclient: measures how long documents take to encode, transmit and decode, format by format.

#include "client/runner.h"
#include "proto/formats.h"

int main(int argc, char** argv) {
    return perfrelay::client::perfclient_main(argc, argv, perfrelay::FormatTable::built_in());
}
