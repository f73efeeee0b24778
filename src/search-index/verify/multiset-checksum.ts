// Owns the comparison of two sets of index entries that are too large to hold: those that the resources say and those
// that the index holds. Each entry adds a number that depends on all of it to the sum of its resource, or takes it away;
// the sets are the same when nothing is left anywhere. Does not own where entries come from (`sqlite-verify-*.ts`).

const { imul } = Math;

export interface Ledger {
  /** Whether the ledger is kept for the resource at this position; what is entered for others is ignored. */
  covers(position: number): boolean;
  /** An entry that a resource says: the fingerprint of a word or key, of one item of one field. */
  say(field: number, position: number, item: number, high: number, low: number): void;
  /** The same entry, found in the index. */
  find(field: number, position: number, item: number, high: number, low: number): void;
  /** Fields of which the entries differ. */
  fields(): number[];
  /** Positions of the resources of which the entries differ. */
  positions(): Iterable<number>;
}

/**
 * A ledger for `count` resources and fields numbered below `fields`; 8 bytes for each resource.
 * @param every it is kept for the positions that this number divides; 1 for all
 */
export function createLedger(count: number, fields: number, every: number): Ledger {
  const sums = new Int32Array(count * 2);
  const fieldSums = new Int32Array(fields * 2);
  const enter = (sign: number, field: number, position: number, item: number, high: number, low: number) => {
    if (position % every !== 0) return;
    const place = imul((field << 16) ^ item, 0x9e3779b1) ^ imul(position, 0x85ebca6b);
    const one = imul(mixed(mixed(place ^ low) ^ high), sign);
    const other = imul(mixed(mixed(~place ^ high) ^ low), sign);
    // Sums of 32 bits that wrap around.
    (sums[position * 2] as number) += one;
    (sums[position * 2 + 1] as number) += other;
    (fieldSums[field * 2] as number) += one;
    (fieldSums[field * 2 + 1] as number) += other;
  };
  return {
    covers: (position) => position % every === 0,
    say: (field, position, item, high, low) => enter(1, field, position, item, high, low),
    find: (field, position, item, high, low) => enter(-1, field, position, item, high, low),
    fields: () => Array.from({ length: fields }, (_, field) => field).filter((field) => differs(fieldSums, field)),
    *positions() {
      for (let position = 0; position < count; position++) if (differs(sums, position)) yield position;
    },
  };
}

function differs(sums: Int32Array, at: number): boolean {
  return sums[at * 2] !== 0 || sums[at * 2 + 1] !== 0;
}

/** The finalizer of MurmurHash3 (public domain). */
function mixed(value: number): number {
  let bits = imul(value ^ (value >>> 16), 0x85ebca6b);
  bits = imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return bits ^ (bits >>> 16);
}
