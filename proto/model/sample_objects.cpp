#include "proto/model/sample_objects.h"

#include <algorithm>
#include <array>
#include <bit>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "proto/model/java_maker.h"

namespace perfrelay {

using graph::Class;
using graph::Node;
using graph::Value;

namespace {

// java.util.Random.
class JavaRandom {
  public:
    explicit JavaRandom(std::int64_t seed)
        : state_((static_cast<std::uint64_t>(seed) ^ k_multiplier) & k_mask) {}

    std::int32_t next_int() { return static_cast<std::int32_t>(next(32)); }
    std::int32_t next_int(std::int32_t bound) {
        const auto below = static_cast<std::uint32_t>(bound);
        if (std::has_single_bit(below)) {
            return static_cast<std::int32_t>((std::uint64_t{below} * next(31)) >> 31U);
        }
        for (;;) {
            const std::uint32_t drawn = next(31);
            const std::uint32_t result = drawn % below;
            if (drawn - result + (below - 1) < (1U << 31U)) {
                return static_cast<std::int32_t>(result);
            }
        }
    }
    bool next_boolean() { return next(1) != 0; }
    double next_double() {
        const std::uint64_t high = next(26);
        return static_cast<double>((high << 27U) + next(27)) * 0x1p-53;
    }
    std::int64_t next_long() {
        const std::uint64_t high = std::uint64_t{next(32)} << 32U;
        const auto low = static_cast<std::int64_t>(static_cast<std::int32_t>(next(32)));
        return static_cast<std::int64_t>(high + static_cast<std::uint64_t>(low));
    }

  private:
    static constexpr std::uint64_t k_multiplier = 0x5DEECE66D;
    static constexpr std::uint64_t k_mask = (std::uint64_t{1} << 48U) - 1;
    std::uint32_t next(unsigned bits) {
        state_ = (state_ * k_multiplier + 0xB) & k_mask;
        return static_cast<std::uint32_t>(state_ >> (48U - bits));
    }
    std::uint64_t state_;
};

// Fields in the short form of this file, "I=id Ljava/lang/String;=name".
const Class* make_type(JavaMaker& make, std::string_view name, std::string_view fields) {
    std::vector<JavaMaker::Field> all;
    while (!fields.empty()) {
        const std::string_view one = fields.substr(0, fields.find(' '));
        fields.remove_prefix(std::min(fields.size(), one.size() + 1));
        const std::size_t equals = one.find('=');
        all.push_back({std::string(one.substr(0, equals)), std::string(one.substr(equals + 1))});
    }
    return make.type(name, std::move(all));
}

void set(Node& node, std::initializer_list<Value> values) {
    std::copy(values.begin(), values.end(), node.items);
}

// Up to 99 characters of ASCII, control characters and NUL among them.
Value random_text(JavaMaker& make, JavaRandom& random) {
    const auto size = static_cast<std::size_t>(random.next_int(100));
    std::string out(size, '\0');
    for (char& c : out)
        c = static_cast<char>(random.next_int(128));
    return make.text(out);
}

// The ten properties that both classes have, in the order in which they are drawn.
std::array<Value, 10> properties(JavaMaker& make, JavaRandom& random) {
    std::array<Value, 10> drawn;
    drawn[0] = Value::int32(random.next_int());
    drawn[1] = random_text(make, random);
    drawn[2] = Value::boolean(random.next_boolean());
    drawn[3] = random_text(make, random);
    drawn[4] = Value::float64(random.next_double());
    drawn[5] = make.date(random.next_long());
    for (std::size_t i = 6; i < drawn.size(); ++i)
        drawn[i] = random_text(make, random);
    return drawn;
}

void set_properties(Node& node, const std::array<Value, 10>& drawn, Value own) {
    set(node, {drawn[0], drawn[2], drawn[4], own, drawn[9], drawn[1], drawn[3], drawn[5], drawn[6],
               drawn[7], drawn[8]});
}

constexpr std::string_view k_properties =
    "Ljava/lang/String;=property10 Ljava/lang/String;=property2 Ljava/lang/String;=property4 "
    "Ljava/util/Date;=property6 Ljava/lang/String;=property7 Ljava/lang/String;=property8 "
    "Ljava/lang/String;=property9";

}  // namespace

void generate_objects(std::int64_t seed, std::uint32_t count, ObjectGraph& graph) {
    JavaMaker make(graph);
    JavaRandom random(seed);
    const std::string head = "I=property1 Z=property3 D=property5 ";
    const Class* const whole =
        make_type(make, "org.granite.benchmark.amf.DataObject2",
                  head + "Ljava/util/Set;=objects " + std::string(k_properties));
    const Class* const part = make_type(
        make, "org.granite.benchmark.amf.DataObject1",
        head + "Lorg/granite/benchmark/amf/DataObject2;=object " + std::string(k_properties));
    Node* const all = make.list("java.util.ArrayList", count);
    graph.root = Value::of(all);
    for (std::uint32_t i = 0; i < count; ++i) {
        Node* const object = make.object(whole);
        all->items[i] = Value::of(object);
        const auto size = static_cast<std::size_t>(random.next_int(20)) + 10;
        const auto drawn = properties(make, random);
        Node* const set = make.list("java.util.HashSet", size);
        set_properties(*object, drawn, Value::of(set));
        for (std::size_t k = 0; k < size; ++k) {
            Node* const inner = make.object(part);
            set->items[k] = Value::of(inner);
            set_properties(*inner, properties(make, random), Value::of(object));
        }
    }
}

void generate_strings(std::int64_t seed, std::uint32_t count, ObjectGraph& graph) {
    JavaMaker make(graph);
    JavaRandom random(seed);
    Node* const all = make.list("java.util.ArrayList", count);
    graph.root = Value::of(all);
    for (std::uint32_t i = 0; i < count; ++i)
        all->items[i] = random_text(make, random);
}

namespace {

struct TownRow {
    std::string_view name;
    std::string_view country;
    std::int32_t population;
};
constexpr std::array<TownRow, 5> k_towns{{{"Bucharest", "RO", 1716961},
                                          {"Cluj-Napoca", "RO", 286598},
                                          {"Dublin", "IE", 592713},
                                          {"Utrecht", "NL", 361924},
                                          {"Lyon", "FR", 522250}}};
constexpr std::array<std::string_view, 3> k_companies{"Northwind Analytics", "Carpathia Software",
                                                      "Blue Harbour Systems"};
constexpr std::array<std::string_view, 30> k_first_names{
    "Andrei", "Maria", "Ioana", "Mihai", "Elena", "Radu", "Anca", "Vlad",  "Irina", "Dan",
    "Oana",   "Paul",  "Sofia", "Luca",  "Emma",  "Noah", "Anna", "Otto",  "Clara", "Hugo",
    "Alice",  "Leon",  "Marta", "Jonas", "Petra", "Ivan", "Nina", "Tomas", "Eva",   "Karl"};
constexpr std::array<std::string_view, 20> k_beginnings{
    "Pop", "Ion", "Mar", "Dumit", "Stan", "Georg", "Rus",  "Mold", "Barb", "Cris",
    "Kov", "Nov", "Hor", "Wag",   "Beck", "Lind",  "Berg", "Sand", "Holm", "Str\xC3\xB6m"};
constexpr std::array<std::string_view, 9> k_middles{"", "a", "e", "i", "o", "u", "el", "ar", "ov"};
constexpr std::array<std::string_view, 16> k_ends{"escu", "ean",  "in",   "rescu", "ciu", "iu",
                                                  "ac",   "ak",   "vath", "ner",   "er",  "qvist",
                                                  "man",  "berg", "gren", "dal"};

template <std::size_t size>
std::string_view pick(const std::array<std::string_view, size>& from, JavaRandom& random) {
    return from[static_cast<std::size_t>(random.next_int(static_cast<std::int32_t>(size)))];
}

}  // namespace

void generate_company(std::int64_t seed, std::uint32_t employees, ObjectGraph& graph) {
    JavaMaker make(graph);
    JavaRandom random(seed);
    const Class* const company_type =
        make_type(make, "lab.Company",
                  "I=id Ljava/util/List;=employees Ljava/lang/String;=name Llab/Town;=town");
    const Class* const employee_type =
        make_type(make, "lab.Employee",
                  "I=age I=hired I=id Z=manager I=salary Llab/Company;=company "
                  "Ljava/lang/String;=firstName Ljava/lang/String;=lastName Llab/Town;=town");
    const Class* const town_type = make_type(
        make, "lab.Town", "I=id I=population Ljava/lang/String;=country Ljava/lang/String;=name");

    std::array<Node*, k_towns.size()> towns{};
    for (std::size_t i = 0; i < towns.size(); ++i) {
        towns[i] = make.object(town_type);
        set(*towns[i],
            {Value::int32(static_cast<std::int32_t>(i) + 1), Value::int32(k_towns[i].population),
             make.constant(k_towns[i].country), make.constant(k_towns[i].name)});
    }
    std::array<Node*, k_companies.size()> companies{};
    for (Node*& company : companies)
        company = make.object(company_type);
    std::array<std::vector<Value>, k_companies.size()> staff;
    for (std::uint32_t i = 0; i < employees; ++i) {
        const std::string_view first_name = pick(k_first_names, random);
        std::string last_name(pick(k_beginnings, random));
        last_name += pick(k_middles, random);
        last_name += pick(k_ends, random);
        const std::int32_t hired = 1985 + random.next_int(25);
        const std::int32_t age = 20 + random.next_int(45);
        const std::int32_t salary = 1500 + 10 * random.next_int(900);
        const bool manager = random.next_int(12) == 0;
        const auto company = static_cast<std::size_t>(random.next_int(3));
        const auto town = static_cast<std::size_t>(random.next_int(5));
        Node* const employee = make.object(employee_type);
        set(*employee,
            {Value::int32(age), Value::int32(hired), Value::int32(static_cast<std::int32_t>(i) + 1),
             Value::boolean(manager), Value::int32(salary), Value::of(companies[company]),
             make.constant(first_name), make.text(last_name), Value::of(towns[town])});
        staff[company].push_back(Value::of(employee));
    }
    Node* const all = make.list("java.util.ArrayList", companies.size());
    for (std::size_t i = 0; i < companies.size(); ++i) {
        Node* const list = make.list("java.util.ArrayList", staff[i].size());
        std::copy(staff[i].begin(), staff[i].end(), list->items);
        set(*companies[i], {Value::int32(static_cast<std::int32_t>(i) + 1), Value::of(list),
                            make.constant(k_companies[i]), Value::of(towns[i])});
        all->items[i] = Value::of(companies[i]);
    }
    graph.root = Value::of(all);
}

}  // namespace perfrelay
