// The list of what a verification finds wrong: by kind, counted, with a few examples.

/**
 * `file` size, checksum or structure of the file; `counts` other numbers of resources than were imported; `resource` a
 * stored text that is no valid resource; `index` rows of an index table that are not those of an index rebuilt from the
 * resources; `gone` ids that are there and gone at once; `reference` a reference to nothing in the snapshot.
 */
export type FindingKind = 'file' | 'counts' | 'resource' | 'index' | 'gone' | 'reference';

export interface Finding {
  kind: FindingKind;
  count: number;
  examples: readonly string[];
}

export interface Findings {
  add(kind: FindingKind, example: string): void;
  /** In the order in which the kinds came up first. */
  list(): Finding[];
}

const EXAMPLES = 5;
const LONGEST_EXAMPLE = 300;

export function createFindings(): Findings {
  const kinds = new Map<FindingKind, { count: number; examples: string[] }>();
  return {
    add(kind, example) {
      const found = kinds.get(kind) ?? { count: 0, examples: [] };
      kinds.set(kind, found);
      found.count++;
      if (found.examples.length < EXAMPLES) found.examples.push(example.slice(0, LONGEST_EXAMPLE));
    },
    list: () => [...kinds].map(([kind, { count, examples }]) => ({ kind, count, examples })),
  };
}
