#include "proto/exi/schema/content_model.h"

#include <algorithm>
#include <map>
#include <utility>

namespace perfrelay::exi {

class ContentModel::Maker {
  public:
    Maker(const Components& components, const ContentNames& names, std::size_t& room)
        : components_(components), names_(names), room_(room) {}

    bool make(const Particle& particle, std::vector<State>& out) {
        if (!add_node(particle, k_no_component, 0)) return false;
        counts_.resize(counters_);
        mark_counted();
        enter(0);
        if (nullable_.at(0)) end_ = true;
        out.emplace_back();
        if (!close(out, 0)) return false;
        for (std::size_t i = 0; i < work_.size(); ++i) {
            const std::vector<std::uint32_t> places = *work_[i];
            for (const std::uint32_t place : places)
                follow(restore(*places_[place]));
            if (!close(out, i + 1)) return false;
        }
        return true;
    }

  private:
    // A node, and the counters of the repeated particles it is in, from the inside: a leaf that may
    // come, or a node whose instance is complete.
    using Place = std::vector<std::uint32_t>;

    struct Node {
        Particle particle;
        std::uint32_t min = 1;
        std::uint32_t parent = k_no_component;
        std::uint32_t position = 0;  // among its parent's children
        std::uint32_t counter = k_no_component;
        bool counted = false;                     // it, or what it is in, has a counter
        std::uint32_t as_place = k_no_component;  // when it has none
        std::vector<std::uint32_t> children;
    };

    const ModelGroup& group(const Node& node) const {
        return components_.groups[node.particle.index];
    }
    bool is_group(const Node& node) const { return node.particle.term == Particle::Term::group; }
    using Compositor = ModelGroup::Compositor;

    // Nodes in the order of the schema, groups expanded.
    bool add_node(const Particle& particle, std::uint32_t parent, std::size_t depth) {
        if (depth > k_most_depth || room_ == 0) return false;
        --room_;
        const auto index = static_cast<std::uint32_t>(nodes_.size());
        Node& made = nodes_.emplace_back();
        made.particle = particle;
        made.parent = parent;
        nullable_.push_back(false);
        bool nullable = false;
        if (particle.term == Particle::Term::group) {
            const ModelGroup& of = components_.groups[particle.index];
            bool all = true;
            bool any = of.particles.empty();
            for (const Particle& child : of.particles) {
                if (child.max == 0) continue;
                const auto at = static_cast<std::uint32_t>(nodes_.size());
                if (!add_node(child, index, depth + 1)) return false;
                nodes_[at].position = static_cast<std::uint32_t>(nodes_[index].children.size());
                nodes_[index].children.push_back(at);
                all = all && nullable_[at];
                any = any || nullable_[at];
            }
            nullable = of.compositor == Compositor::all ||
                       (of.compositor == Compositor::sequence ? all : any);
        }
        Node& node = nodes_[index];
        node.min = nullable ? 0 : particle.min;
        // Unbounded: an instance behind those that must be is like any other.
        if (particle.max == Particle::k_unbounded ? node.min > 1 : particle.max > 1)
            node.counter = counters_++;
        nullable_[index] = node.min == 0;
        return true;
    }
    void mark_counted() {
        for (Node& node : nodes_) {
            node.counted = node.counter != k_no_component ||
                           (node.parent != k_no_component && nodes_[node.parent].counted);
        }
    }

    void enter(std::uint32_t index) {
        const Node& node = nodes_[index];
        if (node.particle.max == 0) return;
        if (node.counter != k_no_component) counts_[node.counter] = 0;
        enter_term(index);
    }
    void enter_term(std::uint32_t index) {
        const Node& node = nodes_[index];
        if (!is_group(node)) {
            found_.push_back(place(index));
            return;
        }
        for (const std::uint32_t child : node.children) {
            enter(child);
            if (group(node).compositor == Compositor::sequence && !nullable_[child]) return;
        }
    }

    // The places behind an instance of the node that is complete.
    void follow(std::uint32_t index) {
        while (true) {
            const Node& node = nodes_[index];
            const std::uint32_t done = node.counter == k_no_component ? 0 : counts_[node.counter];
            const bool unbounded = node.particle.max == Particle::k_unbounded;
            if (unbounded || done + 1 < node.particle.max) {
                if (node.counter != k_no_component) {
                    const std::uint32_t most = unbounded ? node.min - 1 : node.particle.max - 1;
                    counts_[node.counter] = std::min(done + 1, most);
                }
                enter_term(index);
                if (node.counter != k_no_component) counts_[node.counter] = done;
            }
            if (done + 1 < node.min) return;
            if (node.parent == k_no_component) {
                end_ = true;
                return;
            }
            if (!leave(index)) return;
            index = node.parent;
        }
    }
    // What comes behind a node in its parent. Whether that may be complete with it.
    bool leave(std::uint32_t index) {
        const Node& node = nodes_[index];
        const Node& parent = nodes_[node.parent];
        switch (group(parent).compositor) {
            case Compositor::choice: return true;
            case Compositor::all:
                for (const std::uint32_t child : parent.children)
                    enter(child);
                return true;
            case Compositor::sequence:
                for (std::size_t i = node.position + std::size_t{1}; i < parent.children.size();
                     ++i) {
                    enter(parent.children[i]);
                    if (!nullable_[parent.children[i]]) return false;
                }
                return true;
        }
        return true;
    }

    std::uint32_t place(std::uint32_t node) {
        if (nodes_[node].as_place != k_no_component) return nodes_[node].as_place;
        Place key{node};
        if (nodes_[node].counted) {
            for (std::uint32_t at = node; at != k_no_component; at = nodes_[at].parent) {
                if (nodes_[at].counter != k_no_component)
                    key.push_back(counts_[nodes_[at].counter]);
            }
        }
        const auto [at, is_new] =
            place_ids_.try_emplace(std::move(key), static_cast<std::uint32_t>(places_.size()));
        if (is_new) places_.push_back(&at->first);
        if (!nodes_[node].counted) nodes_[node].as_place = at->second;
        return at->second;
    }
    // The place's counters are those that count. Its node.
    std::uint32_t restore(const Place& from) {
        auto next = from.begin() + 1;
        if (next == from.end()) return from[0];
        for (std::uint32_t at = from[0]; at != k_no_component; at = nodes_[at].parent) {
            if (nodes_[at].counter != k_no_component) counts_[nodes_[at].counter] = *next++;
        }
        return from[0];
    }
    // Behind a leaf: the outermost node that is complete with it, so that all of a choice are one.
    std::uint32_t behind(std::uint32_t leaf) {
        std::uint32_t at = restore(*places_[leaf]);
        while (nodes_[at].particle.max == 1 && nodes_[at].parent != k_no_component) {
            const Node& parent = nodes_[nodes_[at].parent];
            const Compositor compositor = group(parent).compositor;
            if (compositor == Compositor::all) {
                if (nodes_[parent.children[0]].particle.max == 1) at = parent.children[0];
                break;
            }
            if (compositor == Compositor::sequence && parent.children.back() != at) break;
            at = nodes_[at].parent;
        }
        return place(at);
    }

    // Makes the steps of a state of the places found, and ends their collection.
    bool close(std::vector<State>& out, std::size_t state) {
        if (room_ < found_.size()) return false;
        room_ -= found_.size();
        std::sort(found_.begin(), found_.end());
        found_.erase(std::unique(found_.begin(), found_.end()), found_.end());
        std::sort(found_.begin(), found_.end(), [&](std::uint32_t a, std::uint32_t b) {
            return places_[a]->front() < places_[b]->front();
        });
        std::vector<Step> steps;
        std::vector<std::vector<std::uint32_t>> targets;
        const auto add = [&](Event event, std::uint32_t name, std::uint32_t element,
                             std::uint32_t at) {
            const auto [known, is_new] =
                step_ids_.try_emplace({event, name}, static_cast<std::uint32_t>(steps.size()));
            if (is_new) {
                steps.push_back({event, name, element, 0});
                targets.emplace_back();
            }
            targets[known->second].push_back(at);
        };
        step_ids_.clear();
        for (const std::uint32_t from : found_) {
            const Particle& leaf = nodes_[places_[from]->front()].particle;
            const std::uint32_t at = behind(from);
            if (leaf.term == Particle::Term::element) {
                for (const std::uint32_t element : names_.substitutes[leaf.index])
                    add(Event::start_element, names_.of_element[element], element, at);
            } else if (components_.wildcards[leaf.index].any) {
                add(Event::any_element, 0, 0, at);
            } else {
                for (const std::uint32_t uri : names_.of_wildcard[leaf.index])
                    add(Event::any_element_of, uri, 0, at);
            }
        }
        const std::size_t cost = steps.size() + 1;
        found_.clear();
        if (room_ < cost) return false;
        room_ -= cost;
        for (std::size_t i = 0; i < steps.size(); ++i) {
            std::sort(targets[i].begin(), targets[i].end());
            targets[i].erase(std::unique(targets[i].begin(), targets[i].end()), targets[i].end());
            auto [known, is_new] = state_ids_.try_emplace(std::move(targets[i]),
                                                          static_cast<std::uint32_t>(out.size()));
            steps[i].next = known->second;
            if (!is_new) continue;
            out.emplace_back();
            work_.push_back(&known->first);
        }
        // EXI 8.5.4.3: names, then URIs, then any; each in the order of the schema.
        const auto rank = [](Event event) {
            return event == Event::start_element ? 0 : event == Event::any_element_of ? 1 : 2;
        };
        std::stable_sort(steps.begin(), steps.end(), [&](const Step& a, const Step& b) {
            return rank(a.event) < rank(b.event);
        });
        out[state].steps = std::move(steps);
        out[state].end = std::exchange(end_, false);
        return true;
    }

    const Components& components_;
    const ContentNames& names_;
    std::size_t& room_;
    std::vector<Node> nodes_;
    std::vector<bool> nullable_;
    std::uint32_t counters_ = 0;
    std::vector<std::uint32_t> counts_;
    std::map<Place, std::uint32_t> place_ids_;
    std::vector<const Place*> places_;
    std::map<std::vector<std::uint32_t>, std::uint32_t> state_ids_;
    std::vector<const std::vector<std::uint32_t>*> work_;  // of states from 1 on
    std::map<std::pair<Event, std::uint32_t>, std::uint32_t> step_ids_;
    std::vector<std::uint32_t> found_;
    bool end_ = false;
};

bool ContentModel::make(const Components& components, const ContentNames& names,
                        const Particle& particle, std::size_t& room) {
    states_.clear();
    if (particle.max == 0) {
        states_.push_back({{}, true});
        return true;
    }
    return Maker(components, names, room).make(particle, states_);
}

}  // namespace perfrelay::exi
