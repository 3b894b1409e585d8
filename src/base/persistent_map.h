// PersistentMap: an ordered map whose copies share what they have in common. Copying costs a pointer; a
// change copies the path from the root to the key (about log2 n nodes), and not even that where nobody else
// sees a node. So an image of the cluster can be handed to every lane while the next one is made from it.
//
// An AVL tree. Invariants
//   P1  the heights of a node's two children differ by at most one
//   P2  a node that more than one parent or map can reach is never written
// A value is one owner's like any other; different copies may be used on different lanes at the same time.
#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

namespace moldau {

template <class Key, class Value, class Less = std::less<>>
class PersistentMap {
  struct Node;
  using Link = std::shared_ptr<Node>;
  struct Node {
    Key key;
    Value value;
    Link left, right;
    int32_t height = 1;
    uint32_t size = 1;
  };

 public:
  size_t size() const { return size_of(root_); }
  bool empty() const { return !root_; }

  // The value, or nullptr. Valid as long as any copy of this map that holds the node lives unchanged.
  template <class K>
  const Value* find(const K& key) const {
    const Node* n = root_.get();
    while (n) {
      if (Less{}(key, n->key))
        n = n->left.get();
      else if (Less{}(n->key, key))
        n = n->right.get();
      else
        return &n->value;
    }
    return nullptr;
  }
  template <class K>
  bool contains(const K& key) const {
    return find(key) != nullptr;
  }

  void set(Key key, Value value) { root_ = put(std::move(root_), std::move(key), std::move(value)); }

  // Calls change(Value&) on the value in place, as far as others don't share it. Returns false if there is
  // none.
  template <class K, class Change>
  bool update(const K& key, Change&& change) {
    if (!contains(key)) return false;
    root_ = alter(std::move(root_), key, change);
    return true;
  }
  // As update, of a key that there is.
  template <class K, class Change>
  void update_existing(const K& key, Change&& change) {
    root_ = alter(std::move(root_), key, change);
  }

  template <class K>
  bool erase(const K& key) {
    if (!contains(key)) return false;
    root_ = remove(std::move(root_), key);
    return true;
  }

  // In key order; `visit(key, value)`.
  template <class Visit>
  void for_each(Visit&& visit) const {
    walk(root_.get(), visit);
  }

  // In key order from the first key that isn't less than `from`, until `visit(key, value)` returns false.
  template <class K, class Visit>
  void for_each_from(const K& from, Visit&& visit) const {
    walk_from(root_.get(), from, visit);
  }

 private:
  static int32_t height_of(const Link& n) { return n ? n->height : 0; }
  static uint32_t size_of(const Link& n) { return n ? n->size : 0; }
  static void measure(Node& n) {
    n.height = 1 + std::max(height_of(n.left), height_of(n.right));
    n.size = 1 + size_of(n.left) + size_of(n.right);
  }
  // A node that may be written (P2).
  static Link own(Link n) {
    if (n.use_count() != 1) return std::make_shared<Node>(*n);
    // The last other owner may have let go on another lane just now. use_count() doesn't order what it read before our
    // writes; counting up and down again does.
    const Link acquired = n;
    return n;
  }

  static Link rotate_right(Link n) {
    Link top = own(std::move(n->left));
    n->left = std::move(top->right);
    measure(*n);
    top->right = std::move(n);
    measure(*top);
    return top;
  }
  static Link rotate_left(Link n) {
    Link top = own(std::move(n->right));
    n->right = std::move(top->left);
    measure(*n);
    top->left = std::move(n);
    measure(*top);
    return top;
  }
  static Link balance(Link n) {
    measure(*n);
    const int32_t lean = height_of(n->left) - height_of(n->right);
    if (lean > 1) {
      if (height_of(n->left->left) < height_of(n->left->right))
        n->left = rotate_left(own(std::move(n->left)));
      return rotate_right(std::move(n));
    }
    if (lean < -1) {
      if (height_of(n->right->right) < height_of(n->right->left))
        n->right = rotate_right(own(std::move(n->right)));
      return rotate_left(std::move(n));
    }
    return n;
  }

  static Link put(Link n, Key&& key, Value&& value) {
    if (!n) return std::make_shared<Node>(Node{std::move(key), std::move(value), nullptr, nullptr});
    n = own(std::move(n));
    if (Less{}(key, n->key))
      n->left = put(std::move(n->left), std::move(key), std::move(value));
    else if (Less{}(n->key, key))
      n->right = put(std::move(n->right), std::move(key), std::move(value));
    else
      return n->value = std::move(value), n;
    return balance(std::move(n));
  }

  template <class K, class Change>
  static Link alter(Link n, const K& key, Change& change) {
    n = own(std::move(n));
    if (Less{}(key, n->key))
      n->left = alter(std::move(n->left), key, change);
    else if (Less{}(n->key, key))
      n->right = alter(std::move(n->right), key, change);
    else
      change(n->value);
    return n;
  }

  // Takes the least node out of n; `least` gets it.
  static Link take_least(Link n, Link& least) {
    n = own(std::move(n));
    if (!n->left) {
      Link rest = std::move(n->right);
      least = std::move(n);
      return rest;
    }
    n->left = take_least(std::move(n->left), least);
    return balance(std::move(n));
  }

  template <class K>
  static Link remove(Link n, const K& key) {
    n = own(std::move(n));
    if (Less{}(key, n->key))
      n->left = remove(std::move(n->left), key);
    else if (Less{}(n->key, key))
      n->right = remove(std::move(n->right), key);
    else if (!n->left)
      return std::move(n->right);
    else if (!n->right)
      return std::move(n->left);
    else {
      Link next;
      Link right = take_least(std::move(n->right), next);
      next->left = std::move(n->left);
      next->right = std::move(right);
      n = std::move(next);
    }
    return balance(std::move(n));
  }

  template <class Visit>
  static void walk(const Node* n, Visit& visit) {
    for (; n; n = n->right.get()) {
      walk(n->left.get(), visit);
      visit(n->key, n->value);
    }
  }
  template <class K, class Visit>
  static bool walk_from(const Node* n, const K& from, Visit& visit) {
    if (!n) return true;
    if (!Less{}(n->key, from)) {
      if (!walk_from(n->left.get(), from, visit) || !visit(n->key, n->value)) return false;
    }
    return walk_from(n->right.get(), from, visit);
  }

  Link root_;
};

}  // namespace moldau
