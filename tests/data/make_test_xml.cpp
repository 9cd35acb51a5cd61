// Writes test.xml: a day of messages in a road freight network, as its hub would collect them.
//
//   make_test_xml FILE
//
// Every run on every platform writes the same bytes: one seed, integer arithmetic alone, values
// drawn in an order that the language fixes. The committed file is checked against this program.
// One message a line; line breaks stand inside start tags, so that no text is white space only.
// Described by test.xsd and test-geo.xsd.

#include <array>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr std::size_t k_wanted_size = 936'700;  // the last message and the end come on top
constexpr std::uint64_t k_seed = 20240506;
constexpr std::int64_t k_first_second = 1'714'975'200;  // 2024-05-06T06:00:00Z
constexpr std::int64_t k_hour = 3600;
constexpr std::int64_t k_quarter = 900;
constexpr std::int64_t k_ten = 10;
constexpr int k_micro = 1'000'000;

// splitmix64 (public domain, S. Vigna).
class Random {
  public:
    explicit Random(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() {
        state_ += 0x9E3779B97F4A7C15U;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
        z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
        return z ^ (z >> 31U);
    }
    int below(int bound) { return static_cast<int>(next() % static_cast<std::uint64_t>(bound)); }
    int between(int low, int high) { return low + below(high - low + 1); }
    bool one_in(int n) { return below(n) == 0; }
    template <class T, std::size_t n>
    const T& of(const std::array<T, n>& all) {
        return all[static_cast<std::size_t>(below(static_cast<int>(n)))];
    }
    template <class T, std::size_t n>
    T& of(std::array<T, n>& all) {
        return all[static_cast<std::size_t>(below(static_cast<int>(n)))];
    }

  private:
    std::uint64_t state_;
};

// "00042": at least `width` digits.
std::string digits(std::int64_t value, std::size_t width = 1) {
    std::string text = std::to_string(value);
    return text.size() < width ? std::string(width - text.size(), '0') + text : text;
}

// A number given in units of 10^-places: 12345, 2 -> "123.45".
std::string decimal(std::int64_t value, std::size_t places) {
    const std::string text = digits(value < 0 ? -value : value, places + 1);
    const std::size_t point = text.size() - places;
    return (value < 0 ? "-" : "") + text.substr(0, point) + "." + text.substr(point);
}

// xs:dateTime in UTC. Days to year, month, day as in "chrono-compatible low-level date algorithms"
// (H. Hinnant), for days after 1970.
std::string date_time(std::int64_t second) {
    const std::int64_t days = second / 86400 + 719468;
    const std::int64_t of_day = second % 86400;
    const std::int64_t era = days / 146097;
    const std::int64_t of_era = days - era * 146097;
    const std::int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    const std::int64_t of_year = of_era - (365 * year + year / 4 - year / 100);
    const std::int64_t month = (5 * of_year + 2) / 153;
    const std::int64_t day = of_year - (153 * month + 2) / 5 + 1;
    const bool next_year = month >= 10;
    return digits(year + era * 400 + (next_year ? 1 : 0), 4) + "-" +
           digits(next_year ? month - 9 : month + 3, 2) + "-" + digits(day, 2) + "T" +
           digits(of_day / 3600, 2) + ":" + digits(of_day / 60 % 60, 2) + ":" +
           digits(of_day % 60, 2) + "Z";
}

std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '&') {
            out += "&amp;";
        } else if (c == '<') {
            out += "&lt;";
        } else {
            out += c;
        }
    }
    return out;
}

struct Hub {
    std::string_view code;
    std::string_view name;
    int latitude;  // microdegrees
    int longitude;
};

constexpr std::array<Hub, 12> k_hubs{{
    {"DEHAM", "Hamburg-Süd", 53'512'400, 9'991'200},
    {"DECGN", "Köln-Niehl", 50'981'700, 6'962'300},
    {"DEMUC", "München-Ost", 48'127'900, 11'631'500},
    {"DELEJ", "Leipzig", 51'422'100, 12'239'800},
    {"ATVIE", "Wien-Simmering", 48'171'300, 16'431'600},
    {"CHZRH", "Zürich-Altstetten", 47'391'200, 8'482'900},
    {"PLWRO", "Wrocław", 51'098'500, 16'938'200},
    {"CZPRG", "Praha-Malešice", 50'083'600, 14'512'700},
    {"FRSXB", "Strasbourg Port", 48'561'800, 7'791'400},
    {"NLRTM", "Rotterdam", 51'889'300, 4'421'700},
    {"DKAAR", "Aarhus", 56'148'200, 10'231'100},
    {"SEMMA", "Malmö", 55'611'900, 13'002'600},
}};

constexpr std::array<std::string_view, 12> k_drivers{
    "J. Brandt",  "M. Özdemir",  "K. Sørensen",  "A. Nowak", "P. Dvořák", "L. Müller",
    "S. Lefèvre", "T. de Vries", "E. Lindqvist", "R. Huber", "I. Kovács", "C. Weiß"};

constexpr std::array<std::string_view, 4> k_makes{"Volvo FH", "Scania R450", "MAN TGX",
                                                  "DAF XF & trailer"};

constexpr std::array<std::string_view, 14> k_notes{
    "Gate closed, driver waits for the yard master.",
    "Consignee asked for delivery after 14:00; phone number on the waybill is wrong.",
    "Pallet 3 of 8 damaged at one corner, photographed and accepted.",
    "Held by customs: invoice & packing list differ in the number of parcels.",
    "Temperature rose while the doors were open, back in range after 6 minutes.",
    "Diverted around roadworks on the A7 near Göttingen.",
    "Signed for by the neighbour, Frau Jäger.",
    "Two parcels short at loading; search under way in bay < 20.",
    "Trailer swapped at the request of the carrier.",
    "Recipient refused delivery: ordered twice.",
    "Seal number checked and entered by hand.",
    "Rest period of the driver, continues 45 minutes later.",
    "Address label unreadable, relabelled from the manifest.",
    "Delivered to the loading dock, pallets exchanged one for one."};

struct Unit {
    std::string id;
    int latitude;
    int longitude;
    std::size_t target;     // the hub it drives to
    int speed;              // tenths of km/h
    int heading;            // degrees
    std::int64_t odometer;  // tenths of km
    int fuel;               // tenths of a per cent
    int satellites;
    std::array<int, 3> temperature;  // tenths of a degree, one a sensor
};

struct Parcel {
    std::string id;
    int weight;  // tens of grams
    std::string size;
    std::string_view service;
    std::string_view from;
    std::string_view to;
    int cod;  // cents to collect, 0 for none
};

struct Shipment {
    std::string id;
    int priority;
    int pieces;
    std::int64_t due;
};

class Feed {
  public:
    Feed() : random_(k_seed) {
        out_ =
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<feed xmlns=\"urn:perfrelay:freight\"\n"
            "      xmlns:g=\"urn:perfrelay:geo\"\n"
            "      xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"\n"
            "      version=\"1.4\" network=\"CENTRAL\">";
        header();
    }

    std::string run() {
        while (out_.size() < k_wanted_size)
            message();
        line("<end", "messages=\"" + digits(sequence_) + "\" at=\"" + date_time(second_) + "\"/>");
        return out_ + "</feed>\n";
    }

  private:
    // Breaks the line inside the start tag.
    void line(std::string_view tag, const std::string& rest) {
        out_ += tag;
        out_ += "\n  ";
        out_ += rest;
    }
    void element(std::string_view name, std::string_view value) {
        out_ += '<';
        out_ += name;
        out_ += '>';
        out_ += value;
        out_ += "</";
        out_ += name;
        out_ += '>';
    }

    void header() {
        line("<header", "created=\"" + date_time(k_first_second) + "\" interval=\"PT12H\">");
        for (const Hub& hub : k_hubs) {
            line("<hub",
                 "code=\"" + std::string(hub.code) + "\" name=\"" + std::string(hub.name) + "\">");
            position(hub.latitude, hub.longitude);
            out_ += "</hub>";
        }
        for (int i = 0; i < 48; ++i)
            unit(i);
        out_ += "</header>";
    }

    void unit(int index) {
        const auto home = static_cast<std::size_t>(random_.below(static_cast<int>(k_hubs.size())));
        Unit made{};
        made.id = "TRK-" + digits(400 + index * 7 + random_.below(7), 4);
        made.latitude = k_hubs[home].latitude + random_.between(-90'000, 90'000);
        made.longitude = k_hubs[home].longitude + random_.between(-90'000, 90'000);
        made.target = (home + 1U + static_cast<std::size_t>(random_.below(11))) % k_hubs.size();
        made.speed = random_.between(0, 850);
        made.heading = random_.below(360);
        made.odometer = random_.between(300'000, 7'000'000);
        made.fuel = random_.between(300, 1000);
        made.satellites = random_.between(7, 12);
        for (int& temperature : made.temperature)
            temperature = random_.between(-40, 90);
        const std::string_view make = random_.of(k_makes);
        const std::string_view driver = random_.of(k_drivers);
        const int axles = random_.between(2, 5);
        const std::string capacity = decimal(random_.between(70, 260), 1);
        line("<unit", "id=\"" + made.id + "\" make=\"" + escaped(make) + "\" axles=\"" +
                          digits(axles) + "\" capacity=\"" + capacity + "\" cooled=\"" +
                          (random_.one_in(3) ? "true" : "false") + "\">");
        element("driver", driver);
        out_ += "</unit>";
        units_.push_back(made);
    }

    void position(int latitude, int longitude) {
        out_ += "<g:pos lat=\"" + decimal(latitude / 10, 5) + "\" lon=\"" +
                decimal(longitude / 10, 5) + "\"/>";
    }

    void message() {
        second_ += random_.between(1, 19);
        ++sequence_;
        Unit& unit = units_[static_cast<std::size_t>(random_.below(48))];
        const int kind = random_.below(100);
        if (kind < 42) {
            track(unit);
        } else if (kind < 70) {
            reading(unit);
        } else if (kind < 92) {
            scan();
        } else {
            status();
        }
    }

    std::string common() const {
        return "seq=\"" + digits(sequence_) + "\" at=\"" + date_time(second_) + "\"";
    }

    // Where a unit is: it goes on towards its hub, rests there, and gets another one.
    void track(Unit& unit) {
        const Hub& hub = k_hubs[unit.target];
        const int north = hub.latitude - unit.latitude;
        const int east = hub.longitude - unit.longitude;
        const bool near = north / 200'000 == 0 && east / 200'000 == 0;
        if (near) {
            unit.speed = 0;
            if (random_.one_in(12)) unit.target = (unit.target + 5) % k_hubs.size();
        } else {
            unit.latitude += north / 40 + random_.between(-2'000, 2'000);
            unit.longitude += east / 40 + random_.between(-2'000, 2'000);
            unit.speed = (unit.speed * 3 + random_.between(300, 890)) / 4;
            unit.heading = (unit.heading + random_.between(-12, 12) + 360) % 360;
            unit.odometer += random_.between(3, 90);
            unit.fuel = unit.fuel < 80 ? 1000 : unit.fuel - random_.below(4);
        }
        line("<track", common() + " unit=\"" + unit.id + "\" fix=\"" +
                           (random_.one_in(9) ? "2d" : "3d") + "\">");
        position(unit.latitude, unit.longitude);
        element("speed", decimal(unit.speed, 1));
        element("heading", digits(unit.heading));
        element("odometer", decimal(unit.odometer, 1));
        element("fuel", decimal(unit.fuel, 1));
        element("ignition", near ? "false" : "true");
        element("tachograph", near ? "rest" : "driving");
        element("satellites", digits(unit.satellites));
        element("coupled", "true");
        element("locked", random_.one_in(20) ? "false" : "true");
        if (random_.one_in(6))
            element("eta", date_time(second_ + k_quarter * random_.between(1, 30)));
        out_ += "</track>";
    }

    // What sensors say; a sensor that does not answer is nil.
    void reading(Unit& unit) {
        line("<reading", common() + " unit=\"" + unit.id + "\">");
        for (std::size_t sensor = 0; sensor < unit.temperature.size(); ++sensor) {
            int& temperature = unit.temperature[sensor];
            temperature += random_.between(-2, 2) - temperature / 40;
            out_ += "<sensor n=\"" + digits(static_cast<int>(sensor) + 1) +
                    "\" kind=\"temperature\" unit=\"Cel\"";
            if (random_.one_in(40)) {
                out_ += " xsi:nil=\"true\"/>";
            } else {
                out_ += std::string(temperature > 80 ? " alarm=\"high\"" : "") + ">" +
                        decimal(temperature, 1) + "</sensor>";
            }
        }
        out_ += "<sensor n=\"4\" kind=\"humidity\" unit=\"%\">" + digits(random_.between(38, 72)) +
                "</sensor>";
        element("doors", random_.one_in(9) ? "open" : "closed");
        element("calibrated", "true");
        if (random_.one_in(12)) {
            std::string samples = digits(random_.between(20, 90));
            for (int i = 0; i < 7; ++i)
                samples += " " + digits(random_.between(20, 90));
            element("vibration", samples);
        }
        out_ += "</reading>";
    }

    Parcel new_parcel() {
        Parcel made;
        const int sender = random_.below(60);
        const int number = random_.below(k_micro);
        made.id = "0034" + digits(4'100'200 + sender * 17, 8) + digits(number, 6);
        made.weight = random_.between(15, 3150);
        made.size = digits(k_ten * random_.between(1, 12));
        made.size += " " + digits(k_ten * random_.between(1, 8));
        made.size += " " + digits(k_ten * random_.between(1, 6));
        made.from = random_.of(k_hubs).code;
        made.to = random_.of(k_hubs).code;
        made.service = random_.one_in(4) ? "express" : "standard";
        made.cod = random_.one_in(8) ? random_.between(500, 90'000) : 0;
        return made;
    }

    // A parcel passing a reader in a hub; each passes several.
    void scan() {
        constexpr std::array<std::string_view, 12> k_events{"in",   "in",    "in",     "sorted",
                                                            "out",  "out",   "sorted", "load",
                                                            "load", "count", "count",  "exception"};
        const Hub& hub = random_.of(k_hubs);
        const std::string_view event = random_.of(k_events);
        Parcel& parcel = random_.of(parcels_);
        if (parcel.id.empty() || random_.one_in(5)) parcel = new_parcel();
        line("<scan", common() + " hub=\"" + std::string(hub.code) + "\" gate=\"" +
                          digits(random_.between(1, 24)) + "\" event=\"" + std::string(event) +
                          "\">");
        element("parcel", parcel.id);
        out_ += "<weight unit=\"kg\">" + decimal(parcel.weight, 2) + "</weight>";
        element("size", parcel.size);
        out_ += "<route from=\"" + std::string(parcel.from) + "\" to=\"" + std::string(parcel.to) +
                "\"/>";
        element("service", parcel.service);
        element("labelled", "true");
        element("insured", parcel.cod != 0 ? "true" : "false");
        if (parcel.cod != 0) element("cod", decimal(parcel.cod, 2));
        if (event == "exception") element("note", escaped(random_.of(k_notes)));
        out_ += "</scan>";
    }

    Shipment new_shipment() {
        Shipment made;
        made.id = "SH" + digits(7'000'000 + random_.below(90'000));
        made.priority = random_.between(1, 5);
        made.pieces = random_.between(1, 33);
        made.due = k_first_second + k_hour * random_.between(4, 60);
        return made;
    }

    // What became of a shipment.
    void status() {
        constexpr std::array<std::string_view, 7> k_states{
            "planned", "loaded", "under-way", "arrived", "delivered", "returned", "held"};
        const std::string_view state = random_.of(k_states);
        Shipment& shipment = random_.of(shipments_);
        if (shipment.id.empty() || random_.one_in(4)) shipment = new_shipment();
        line("<status", common() + " shipment=\"" + shipment.id + "\" state=\"" +
                            std::string(state) + "\" priority=\"" + digits(shipment.priority) +
                            "\">");
        element("pieces", digits(shipment.pieces));
        element("customs", state == "held" ? "pending" : "cleared");
        element("cooled", shipment.priority == 1 ? "true" : "false");
        element("due", date_time(shipment.due));
        if (random_.one_in(4))
            element("late", "PT" + digits(k_quarter / 60 * random_.between(1, 16)) + "M");
        if (random_.one_in(2)) element("note", escaped(random_.of(k_notes)));
        out_ += "</status>";
    }

    Random random_;
    std::vector<Unit> units_;
    std::array<Parcel, 60> parcels_{};
    std::array<Shipment, 24> shipments_{};
    std::string out_;
    std::int64_t second_ = k_first_second;
    int sequence_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fputs("usage: make_test_xml FILE\n", stderr);
        return 2;
    }
    const std::string text = Feed().run();
    std::FILE* const file = std::fopen(argv[1], "wb");
    const bool written =
        file != nullptr && std::fwrite(text.data(), 1, text.size(), file) == text.size();
    const bool closed = file != nullptr && std::fclose(file) == 0;
    if (written && closed) return 0;
    std::perror(argv[1]);
    return 1;
}
