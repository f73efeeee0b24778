// Hashes of texts that are cheap and not secret: they tell millions of lines apart.

const { imul } = Math;

/** A hash of the cells `from` to `to`, except the cell `without`. It has 53 bits, which fit a number exactly. */
export function fingerprintOf(cells: readonly string[], from: number, to: number, without = -1): number {
  const [high, low] = hashesOf(cells, from, to, without);
  return 4294967296 * (high & 2097151) + low;
}

/** Two hashes of 32 bits (cyrb53). */
export function hashesOf(cells: readonly string[], from: number, to: number, without = -1): [number, number] {
  let a = 0xdeadbeef;
  let b = 0x41c6ce57;
  for (let index = from; index <= to; index++) {
    const text = index === without ? '' : (cells[index] ?? '');
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      a = imul(a ^ code, 2654435761);
      b = imul(b ^ code, 1597334677);
    }
    a = imul(a ^ 124, 2654435761);
    b = imul(b ^ 124, 1597334677);
  }
  a = imul(a ^ (a >>> 16), 2246822507) ^ imul(b ^ (b >>> 13), 3266489909);
  b = imul(b ^ (b >>> 16), 2246822507) ^ imul(a ^ (a >>> 13), 3266489909);
  return [b >>> 0, a >>> 0];
}
