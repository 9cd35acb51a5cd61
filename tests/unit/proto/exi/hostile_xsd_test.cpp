// XSDs as enemies write them: success, or one line, soon; nothing is fetched, nothing read that is
// no schema.
#include <string>

#include "proto/exi/schema/schema_maker.h"
#include "tests/unit/proto/exi/xsd_files.h"

namespace perfrelay::exi {
namespace {

// Less than there is, so that tests are quick: time and memory go with it.
constexpr std::size_t k_room = 100'000;

class HostileXsd : public XsdTest {
  protected:
    // Read or refused, compiled or refused: either way it ends.
    void ends(const std::string& content, const std::string& attributes = "") const {
        std::string why;
        const auto components = load_xsd(file("ends.xsd", schema(content, attributes)), {}, why);
        EXPECT_EQ(why.find('\n'), std::string::npos) << why;
        if (components) (void)make_schema(*components, k_room);
    }
    static std::string element_of(const std::string& content) {
        return "<xs:element name='r'><xs:complexType>" + content + "</xs:complexType></xs:element>";
    }
};

TEST_F(HostileXsd, NothingIsFetched) {
    const std::string path = file("a.xsd", schema("<xs:import namespace='urn:x' "
                                                  "schemaLocation='http://example.com/x.xsd'/>"
                                                  "<xs:element name='a' type='p:X'/>",
                                                  "xmlns:p='urn:x'"));
    EXPECT_NE(refused(path).find("http://example.com/x.xsd is not fetched"), std::string::npos);
    const std::string local =
        file("x.xsd", schema("<xs:simpleType name='X'><xs:restriction base='xs:int'/>"
                             "</xs:simpleType>",
                             "targetNamespace='urn:x'"));
    EXPECT_EQ(loaded(path, {{"http://example.com/x.xsd", local}}).elements.size(), 1U);
    EXPECT_EQ(loaded(path, {{"urn:x", local}}).elements.size(), 1U);
}

TEST_F(HostileXsd, EntitiesAreRefused) {
    const std::string secret = file("secret", "<xs:element name='secret'/>");
    const std::string path =
        file("a.xsd", "<!DOCTYPE xs:schema [<!ENTITY e SYSTEM 'secret'>]>" + schema("&e;"));
    EXPECT_NE(refused(path).find("secret is refused"), std::string::npos);
    std::string bomb = "<!DOCTYPE xs:schema [<!ENTITY e0 'x'>";
    for (int i = 1; i < 40; ++i)
        bomb += "<!ENTITY e" + std::to_string(i) + " '&e" + std::to_string(i - 1) + ";&e" +
                std::to_string(i - 1) + ";'>";
    (void)refused(file("b.xsd", bomb + "]>" +
                                    schema("<xs:annotation><xs:documentation>&e39;"
                                           "</xs:documentation></xs:annotation>")));
}

TEST_F(HostileXsd, HugeOccurrencesEnd) {
    const auto element = [](const std::string& occurs) {
        return "<xs:element name='r'><xs:complexType><xs:sequence " + occurs +
               "><xs:element name='a' type='xs:int' " + occurs +
               "/></xs:sequence></xs:complexType></xs:element>";
    };
    const Components large =
        loaded(file("a.xsd", schema(element("minOccurs='0' maxOccurs='99999'"))));
    EXPECT_FALSE(make_schema(large, k_room));
    const Components many =
        loaded(file("b.xsd", schema("<xs:element name='r'><xs:complexType><xs:sequence>"
                                    "<xs:element name='a' minOccurs='0' maxOccurs='99999'/>"
                                    "</xs:sequence></xs:complexType></xs:element>")));
    EXPECT_TRUE(make_schema(many));
}

TEST_F(HostileXsd, DeepGroupsEnd) {
    std::string groups;
    std::string ends;
    for (int i = 0; i < 50'000; ++i) {
        groups += "<xs:sequence>";
        ends += "</xs:sequence>";
    }
    (void)refused(file("a.xsd", schema("<xs:element name='r'><xs:complexType>" + groups + ends +
                                       "</xs:complexType></xs:element>")));
}

TEST_F(HostileXsd, OccurrencesWithinOccurrences) {
    std::string inner = "<xs:element name='a' type='xs:int' maxOccurs='500'/>";
    for (int i = 0; i < 4; ++i)
        inner = "<xs:sequence maxOccurs='500'>" + inner + "</xs:sequence>";
    ends(element_of(inner));
}

TEST_F(HostileXsd, ManyParticlesManyTimes) {
    std::string particles;
    for (int i = 0; i < 3000; ++i)
        particles += "<xs:element name='e" + std::to_string(i) + "' minOccurs='0'/>";
    ends(element_of("<xs:choice maxOccurs='3000'>" + particles + "</xs:choice>"));
    ends(element_of("<xs:sequence maxOccurs='3000'>" + particles + "</xs:sequence>"));
}

TEST_F(HostileXsd, ManyAttributes) {
    std::string attributes;
    for (int i = 0; i < 5000; ++i)
        attributes += "<xs:attribute name='a" + std::to_string(i) + "'/>";
    ends(element_of(attributes));
}

TEST_F(HostileXsd, IncludesThatAreCircular) {
    for (const char* const how : {"include", "redefine"}) {
        const auto other = [&](const std::string& name) {
            return "<xs:" + std::string(how) + " schemaLocation='" + name + "'/>";
        };
        const std::string path = file("a.xsd", schema(other("b.xsd")));
        file("b.xsd", schema(other("c.xsd") + "<xs:element name='b'/>"));
        file("c.xsd", schema(other("a.xsd") + other("c.xsd")));
        std::string why;
        (void)load_xsd(path, {}, why);
    }
}

TEST_F(HostileXsd, ImportsThatAreCircular) {
    const auto import = [](const std::string& uri, const std::string& name) {
        return "<xs:import namespace='" + uri + "' schemaLocation='" + name + "'/>";
    };
    const std::string path =
        file("a.xsd", schema(import("urn:b", "b.xsd") + "<xs:element name='a' type='b:T'/>",
                             "targetNamespace='urn:a' xmlns:b='urn:b'"));
    file("b.xsd", schema(import("urn:a", "a.xsd") + "<xs:complexType name='T'><xs:sequence>"
                                                    "<xs:element ref='a:a' minOccurs='0'/>"
                                                    "</xs:sequence></xs:complexType>",
                         "targetNamespace='urn:b' xmlns:a='urn:a'"));
    EXPECT_EQ(loaded(path).elements.size(), 1U);
}

TEST_F(HostileXsd, ChainsOfIncludes) {
    constexpr int k_files = 3000;
    for (int i = 1; i <= k_files; ++i) {
        file("i" + std::to_string(i) + ".xsd",
             schema(i == k_files
                        ? "<xs:element name='last'/>"
                        : "<xs:include schemaLocation='i" + std::to_string(i + 1) + ".xsd'/>"));
    }
    EXPECT_NE(refused(file("a.xsd", schema("<xs:include schemaLocation='i1.xsd'/>")))
                  .find("more files than the limit"),
              std::string::npos);
}

TEST_F(HostileXsd, DefinitionsThatAreCircular) {
    ends("<xs:group name='g'><xs:sequence><xs:group ref='g'/></xs:sequence></xs:group>" +
         element_of("<xs:group ref='g'/>"));
    ends("<xs:attributeGroup name='g'><xs:attributeGroup ref='g'/></xs:attributeGroup>" +
         element_of("<xs:attributeGroup ref='g'/>"));
    ends(
        "<xs:complexType name='T'><xs:complexContent><xs:extension base='T'/>"
        "</xs:complexContent></xs:complexType><xs:element name='r' type='T'/>");
    ends(
        "<xs:simpleType name='T'><xs:union memberTypes='T xs:int'/></xs:simpleType>"
        "<xs:simpleType name='A'><xs:restriction base='B'/></xs:simpleType>"
        "<xs:simpleType name='B'><xs:restriction base='A'/></xs:simpleType>");
    ends(
        "<xs:element name='a' substitutionGroup='b'/><xs:element name='b' "
        "substitutionGroup='a'/>");
}

// Each names one that comes later, so that a reader goes into all of them.
TEST_F(HostileXsd, LongChainsOfDefinitions) {
    constexpr int k_links = 20'000;
    const auto chain = [&](const auto& link) {
        std::string all;
        for (int i = 0; i < k_links; ++i)
            all += link(std::to_string(i), std::to_string(i + 1));
        return all;
    };
    ends(chain([](const std::string& at, const std::string& next) {
             return "<xs:complexType name='T" + at + "'><xs:complexContent><xs:extension base='T" +
                    next + "'/></xs:complexContent></xs:complexType>";
         }) +
         "<xs:complexType name='T20000'/>");
    ends(chain([](const std::string& at, const std::string& next) {
             return "<xs:simpleType name='T" + at + "'><xs:restriction base='T" + next +
                    "'/></xs:simpleType>";
         }) +
         "<xs:simpleType name='T20000'><xs:restriction base='xs:int'/></xs:simpleType>");
    ends(chain([](const std::string& at, const std::string& next) {
             return "<xs:group name='g" + at + "'><xs:sequence><xs:group ref='g" + next +
                    "'/></xs:sequence></xs:group>";
         }) +
         "<xs:group name='g20000'><xs:sequence/></xs:group>" + element_of("<xs:group ref='g0'/>"));
    EXPECT_NE(
        refused(file("groups.xsd", schema(chain([](const std::string& at, const std::string& next) {
                                              return "<xs:element name='e" + at +
                                                     "' substitutionGroup='e" + next + "'/>";
                                          }) +
                                          "<xs:element name='e20000'/>")))
            .find("substitution groups"),
        std::string::npos);
}

TEST_F(HostileXsd, RemoteLocations) {
    for (const std::string how : {"include", "redefine"}) {
        for (const std::string where :
             {"http://127.0.0.1:9/x.xsd", "https://127.0.0.1:9/x.xsd", "ftp://127.0.0.1:9/x.xsd",
              "file://127.0.0.1/x.xsd", "//127.0.0.1/x.xsd", "urn:x"}) {
            const std::string path =
                file("a.xsd", schema("<xs:" + how + " schemaLocation='" + where + "'/>"));
            EXPECT_NE(refused(path), "") << where;
        }
    }
}

TEST_F(HostileXsd, ExternalSubsetsAndParameterEntitiesAreNotRead) {
    const std::string secret = file("secret.dtd", "<!ENTITY e 'int'>");
    for (const std::string doctype :
         {"<!DOCTYPE xs:schema SYSTEM 'http://127.0.0.1:9/x.dtd'>",
          "<!DOCTYPE xs:schema [<!ENTITY % p SYSTEM 'secret.dtd'> %p;]>"}) {
        std::string why;
        EXPECT_FALSE(load_xsd(
            file("a.xsd", doctype + schema("<xs:element name='r' type='xs:&e;'/>")), {}, why));
        EXPECT_NE(why, "");
    }
}

TEST_F(HostileXsd, PatternsAndFacetsThatAreLarge) {
    const auto restricted = [](const std::string& base, const std::string& facets) {
        return "<xs:simpleType name='T'><xs:restriction base='xs:" + base + "'>" + facets +
               "</xs:restriction></xs:simpleType>";
    };
    for (const char* const bomb :
         {"((a{1,999}){1,999}){1,999}", "(((a{99}){99}){99}){2}", "a{999999999999999999999}"}) {
        const std::string path =
            file("a.xsd",
                 schema(restricted("string", "<xs:pattern value='" + std::string(bomb) + "'/>")));
        EXPECT_NE(refused(path).find("quantifiers"), std::string::npos) << bomb;
    }
    (void)loaded(file("b.xsd", schema(restricted("string",
                                                 "<xs:pattern value='([a-z]{1,63}[.]){1,127}"
                                                 "[{]{2}\\{[0-9]{4000}'/>"))));
    ends(restricted("string", "<xs:pattern value='" + std::string(900, '(') + "a" +
                                  std::string(900, ')') + "'/>"));
    ends(restricted("integer", "<xs:minInclusive value='" + std::string(50'000, '9') + "'/>"));
    std::string items;
    for (int i = 0; i < 20'000; ++i)
        items += "<xs:enumeration value='v" + std::to_string(i) + "'/>";
    ends(restricted("string", items));
}

}  // namespace
}  // namespace perfrelay::exi
