// Decides whether one resource matches a query, by the same rules as the search index.

import { checks } from '#directory/search/resource-checks.ts';
import {
  type ExactText,
  type FieldClause,
  type FieldMatch,
  INDEX_FIELDS,
  joinedWords,
  metresBetween,
  positionOfItem,
  type QueryWord,
  type ResourceType,
  type StoredResource,
  tokenize,
} from '#search-index/index.ts';

/** A resource with the index entries by which searches find it. */
export interface SearchedResource {
  stored: StoredResource;
  /**
   * The entries (items) of each index field. Each item has its folded words, and also the words that result if neighbouring words are
   * joined.
   */
  fields: ReadonlyMap<string, readonly Item[]>;
}

type Item = readonly [item: string, words: readonly string[], joined: readonly string[]];

export function searched(
  type: ResourceType,
  stored: StoredResource,
  index: Readonly<Record<string, readonly string[]>>,
): SearchedResource {
  const matching: Readonly<Record<string, FieldMatch>> = INDEX_FIELDS[type];
  const fields = Object.entries({ ...index, id: [stored.id] }).map(([field, items]) => {
    const withWords = items.map((item) => [item, tokenize(item), joinedWords(field, item)] as const);
    // In a field that is searched by words, an item without letters and digits is left out, because no search can find it there.
    return [field, withWords.filter(([, words]) => matching[field] !== 'words' || words.length > 0)] as const;
  });
  return { stored, fields: new Map(fields) };
}

/** Checks whether a resource matches all clauses and all exact texts. */
export function matches(
  resource: SearchedResource,
  { clauses, exactly = [] }: { clauses: readonly FieldClause[]; exactly?: readonly ExactText[] },
): boolean {
  return (
    clauses.every((clause) => fulfils(resource, clause)) &&
    exactly.every(({ field, texts }) => checks.hasText(field, texts, resource.stored.json))
  );
}

function fulfils({ stored, fields }: SearchedResource, clause: FieldClause): boolean {
  const items = fields.get(clause.field) ?? [];
  switch (clause.match) {
    case 'present':
      return items.length > 0 === clause.present;
    case 'range': {
      const at = Date.parse(stored.lastUpdated);
      return clause.anyOf.some(({ from = at, to = at + 1 }) => from <= at && at < to);
    }
    case 'exact':
      return items.some(([item]) => clause.anyOf.includes(item)) !== (clause.not ?? false);
    case 'near':
      return items.some(([item]) =>
        clause.anyOf.some((circle) => metresBetween(circle, positionOfItem(item)) <= circle.metres),
      );
    case 'beginning':
      return items.some(
        ([item]) => clause.whole?.includes(item) || clause.anyOf.some((beginning) => item.startsWith(beginning)),
      );
    case 'words':
      return clause.anyOf.some((wanted) => items.some((item) => wanted.every((word) => isIn(item, word))));
  }
}

function isIn([, words, together]: Item, { prefix, whole, joined }: QueryWord): boolean {
  if (joined?.some((word) => together.includes(word))) return true;
  return words.some((word) => whole.includes(word) || (prefix !== undefined && word.startsWith(prefix)));
}
