// Owns the list of what a check of a snapshot finds wrong: by kind, counted, with a few examples.
// Does not own the checks (`sqlite-verify*.ts`) nor how findings are shown.

/**
 * `file` size, checksum or structure of the file; `counts` other numbers of resources than were loaded; `order` places of
 * resources; `resource` a text that is no valid resource; `index` entries that do not say what the resource says;
 * `gone` ids that are there and gone at once; `reference` a reference to nothing in the snapshot.
 */
export type FindingKind = 'file' | 'counts' | 'order' | 'resource' | 'index' | 'gone' | 'reference';

export interface Finding {
  kind: FindingKind;
  count: number;
  examples: readonly string[];
}

export interface Findings {
  add(kind: FindingKind, example: string): void;
  has(kind: FindingKind): boolean;
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
    has: (kind) => kinds.has(kind),
    list: () => [...kinds].map(([kind, { count, examples }]) => ({ kind, count, examples })),
  };
}
