// A table of numbers with hashes of texts as its keys. It does not store the texts: it is used for millions of lines, for which a `Map`
// from texts to objects would take too much time and memory.

const { imul } = Math;

/**
 * Returns a hash of 32 bits, never 0. The low 16 bits of `seed` must be 0. Otherwise, a different first character could cancel out a
 * different seed, so that two texts get the same hash.
 */
export function hashOf(text: string, seed = 0): number {
  let hash = 0x811c9dc5 ^ seed;
  for (let at = 0; at < text.length; at++) hash = imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 12)) | 1;
}

/** A value and a count for each hash, in slots of typed arrays (open addressing). At most half of the slots are used. */
export class HashTable {
  #keys = new Int32Array(1024);
  #used = 0;
  readonly #most: number;
  values = new Int32Array(1024);
  counts = new Int32Array(1024);

  /** @param most maximum number of keys, a power of two */
  constructor(most: number) {
    this.#most = most;
  }

  /** Returns the slot of a hash. If the hash is new, it gets a free slot. Returns -1 if the table is full. */
  slot(hash: number): number {
    const slot = this.#find(hash);
    if (this.#keys[slot] === hash) return slot;
    if (this.#used === this.#most) return -1;
    if (2 * this.#used >= this.#keys.length) {
      this.#grow();
      return this.slot(hash);
    }
    this.#used++;
    this.#keys[slot] = hash;
    return slot;
  }

  /** Makes room for `more` hashes. The table does not grow while these are added, so the slots that `slot` returns meanwhile stay valid. */
  reserve(more: number): void {
    if (2 * (this.#used + more) > this.#keys.length && this.#keys.length < 2 * this.#most) this.#grow();
  }

  /** Returns the count of a slot; 0 for the slot -1. */
  at(slot: number): number {
    return slot < 0 ? 0 : (this.counts[slot] as number);
  }

  count(hash: number): number {
    return this.counts[this.#find(hash)] as number;
  }

  add(slot: number): void {
    if (slot >= 0) this.counts[slot] = (this.counts[slot] as number) + 1;
  }

  #find(hash: number): number {
    const keys = this.#keys;
    const mask = keys.length - 1;
    let slot = (hash >>> 1) & mask;
    while (keys[slot] !== hash && keys[slot] !== 0) slot = (slot + 1) & mask;
    return slot;
  }

  #grow(): void {
    const [keys, values, counts] = [this.#keys, this.values, this.counts];
    this.#keys = new Int32Array(2 * keys.length);
    this.values = new Int32Array(2 * keys.length);
    this.counts = new Int32Array(2 * keys.length);
    for (let from = 0; from < keys.length; from++) {
      const hash = keys[from] as number;
      if (hash === 0) continue;
      const slot = this.#find(hash);
      this.#keys[slot] = hash;
      this.values[slot] = values[from] as number;
      this.counts[slot] = counts[from] as number;
    }
  }
}
