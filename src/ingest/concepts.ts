// Owns CodeableConcepts: their codings, and the keys under which they are found. Built once for each combination of
// codes and labels, because a national edition repeats a few thousand of them millions of times.
// Does not own which columns they come from.

import { labelKey, tokenKeys } from '../shared/index-keys.ts';

export interface Coding {
  system?: string;
  code: string;
  display?: string;
}

export interface Concept {
  element: { coding?: Coding[]; text?: string };
  /** `code` and `system|code` of every coding. */
  codeKeys: readonly string[];
  /** Those, and the label of every coding. */
  allKeys: readonly string[];
  /** Two concepts with the same one are the same. */
  identity: string;
}

/** One code with its label; a code system that is not known is left out. */
export interface CodedValue {
  system: string | undefined;
  code: string;
  label: string;
}

const known = new Map<string, Concept | undefined>();

/** The concept of some coded values of one line; nothing when all are empty. A label without code becomes the text. */
export function conceptOf(...values: readonly CodedValue[]): Concept | undefined {
  let identity = '';
  for (const value of values) identity += `${value.system ?? ''}|${value.code}|${value.label}\n`;
  const found = known.get(identity);
  if (found !== undefined || known.has(identity)) return found;
  const concept = build(values, identity);
  known.set(identity, concept);
  return concept;
}

function build(values: readonly CodedValue[], identity: string): Concept | undefined {
  const coding = values
    .filter((value) => value.code !== '')
    .map((value) => ({
      ...(value.system !== undefined && { system: value.system }),
      code: value.code,
      ...(value.label !== '' && { display: value.label }),
    }));
  const text = values.find((value) => value.code === '' && value.label !== '')?.label;
  if (coding.length === 0 && text === undefined) return undefined;
  const codeKeys = coding.flatMap(({ system, code }) =>
    tokenKeys({ ...(system !== undefined && { system }), value: code }),
  );
  const labels = [...coding.map(({ display }) => display), text].filter((label) => label !== undefined);
  return {
    // Frozen: the snapshot writer takes a frozen part to come again, and makes its text once.
    element: Object.freeze({ ...(coding.length > 0 && { coding }), ...(text !== undefined && { text }) }),
    codeKeys,
    allKeys: [...codeKeys, ...labels.map((label) => labelKey(label))],
    identity,
  };
}

/** Concepts without repetition, in the order of their identities, so that the order of lines does not matter. */
export function distinctConcepts(concepts: readonly (Concept | undefined)[]): Concept[] {
  const byIdentity = new Map<string, Concept>();
  for (const concept of concepts) if (concept) byIdentity.set(concept.identity, concept);
  return byIdentity.size < 2
    ? [...byIdentity.values()]
    : [...byIdentity.values()].sort((a, b) => (a.identity < b.identity ? -1 : 1));
}

/** Items of all lists, each once. */
export function union(lists: readonly (readonly string[])[]): string[] {
  const [only] = lists;
  if (lists.length === 1 && only) return [...only];
  return [...new Set(lists.flat())];
}
