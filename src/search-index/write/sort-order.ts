// Sorts the resources of one type alphabetically, and divides them into segments.

const PREFIX_BYTES = 6;

/** Number of bytes that are equal at the beginning of all keys. */
function commonBeginning(keys: Uint8Array, lengths: Uint32Array): number {
  let common = lengths[0] ?? 0;
  for (let ordinal = 0, start = 0; ordinal < lengths.length; start += lengths[ordinal++] as number) {
    let same = 0;
    while (same < common && same < (lengths[ordinal] as number) && keys[start + same] === keys[same]) same++;
    common = same;
  }
  return common;
}

/**
 * The ordinals in alphabetical order.
 * @param keys the keys of all resources one after another, in UTF-8
 * @param lengths bytes of each key, by ordinal
 */
export function alphabeticalOrder(keys: Uint8Array, lengths: Uint32Array): Uint32Array {
  const count = lengths.length;
  const starts = new Uint32Array(count + 1);
  // The first bytes that can differ are compared as one number, which decides most comparisons. The bytes with which all keys begin are
  // skipped, because ids of people begin alike.
  const common = commonBeginning(keys, lengths);
  const prefixes = new Float64Array(count);
  for (let ordinal = 0; ordinal < count; ordinal++) {
    const start = starts[ordinal] as number;
    const end = start + (lengths[ordinal] as number);
    starts[ordinal + 1] = end;
    let prefix = 0;
    for (let index = start + common; index < start + common + PREFIX_BYTES; index++) {
      prefix = prefix * 256 + (index < end ? (keys[index] as number) : 0);
    }
    prefixes[ordinal] = prefix;
  }
  const compare = (a: number, b: number) => {
    const difference = (prefixes[a] as number) - (prefixes[b] as number);
    if (difference !== 0) return difference;
    let left = (starts[a] as number) + common + PREFIX_BYTES;
    let right = (starts[b] as number) + common + PREFIX_BYTES;
    const leftEnd = starts[a + 1] as number;
    const rightEnd = starts[b + 1] as number;
    for (; left < leftEnd && right < rightEnd; left++, right++) {
      const byte = (keys[left] as number) - (keys[right] as number);
      if (byte !== 0) return byte;
    }
    return leftEnd - left - (rightEnd - right) || a - b;
  };
  return Uint32Array.from({ length: count }, (_, ordinal) => ordinal).sort(compare);
}

/**
 * The first position of each segment. The last entry is the number of resources.
 * @param items the highest number of items that a resource has in any field, by ordinal
 */
export function cutIntoSegments(order: Uint32Array, items: ArrayLike<number>, size: number): Uint32Array {
  const starts = [0];
  let filled = 0;
  order.forEach((ordinal, position) => {
    const more = items[ordinal] as number;
    if (more > size) throw new Error(`a resource has ${more} items in one field: at most ${size} can be indexed`);
    if (filled + more > size) {
      starts.push(position);
      filled = 0;
    }
    filled += more;
  });
  if (order.length > 0) starts.push(order.length);
  return Uint32Array.from(starts);
}
