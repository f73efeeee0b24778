// Gathers what comes bit by bit.

export async function allOf<Item>(source: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of source) all.push(item);
  return all;
}
