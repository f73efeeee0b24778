// Builds CodeableConcepts, each combination of codes and labels once: an edition repeats a few thousand of them millions
// of times.

import { labelKey, repeated, tokenKeys } from '../../search-index/index.ts';

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
  /** Codes and labels: the order of concepts in a resource. */
  identity: string;
  /** The same for equal concepts, another for others; of this run only. */
  number: number;
}

/** One code with its label; a code system that is not known is left out. */
export interface CodedValue {
  system: string | undefined;
  code: string;
  label: string;
}

/** The concept of one or two codes with their labels; nothing when all are empty. */
export type ConceptKind = (code: string, label: string, code2?: string, label2?: string) => Concept | undefined;

let concepts = 0;

/** A kind of concept: `systems` names the code systems of its one or two codes. Each combination is built once. */
export function conceptKind(systems: (code2: string) => readonly (string | undefined)[]): ConceptKind {
  // By first code, then compared text by text: hashing the long labels would cost more than all else here.
  const known = new Map<string, { label: string; code2: string; label2: string; concept: Concept }[]>();
  return (code, label, code2 = '', label2 = '') => {
    if (code === '' && label === '' && code2 === '' && label2 === '') return undefined;
    let sameCode = known.get(code);
    if (!sameCode) {
      sameCode = [];
      known.set(code, sameCode);
    }
    for (const one of sameCode) {
      if (one.label === label && one.code2 === code2 && one.label2 === label2) return one.concept;
    }
    const [system, system2] = systems(code2);
    const values = [
      { system, code, label },
      { system: system2, code: code2, label: label2 },
    ];
    const concept = build(values, `${code}|${label}|${code2}|${label2}`);
    sameCode.push({ label, code2, label2, concept });
    return concept;
  };
}

/** A label without code becomes the text. */
function build(values: readonly CodedValue[], identity: string): Concept {
  const coding = values
    .filter((value) => value.code !== '')
    .map((value) => ({
      ...(value.system !== undefined && { system: value.system }),
      code: value.code,
      ...(value.label !== '' && { display: value.label }),
    }));
  const text = values.find((value) => value.code === '' && value.label !== '')?.label;
  const codeKeys = coding.flatMap(({ system, code }) =>
    tokenKeys({ ...(system !== undefined && { system }), value: code }),
  );
  const labels = [...coding.map(({ display }) => display), text].filter((label) => label !== undefined);
  return {
    element: repeated({ ...(coding.length > 0 && { coding }), ...(text !== undefined && { text }) }),
    codeKeys,
    allKeys: [...codeKeys, ...labels.map((label) => labelKey(label))],
    identity,
    number: concepts++,
  };
}

/** Concepts without repetition, in the order of their identities, so that the order of lines does not matter. */
export function distinctConcepts(list: readonly (Concept | undefined)[]): Concept[] {
  const distinct: Concept[] = [];
  for (const concept of list) if (concept && !distinct.includes(concept)) distinct.push(concept);
  return distinct.length < 2 ? distinct : distinct.sort((a, b) => (a.identity < b.identity ? -1 : 1));
}

/** Combinations of concepts whose keys are remembered. */
const REMEMBERED = 50_000;
const keysOf = { codeKeys: new Map<string, readonly string[]>(), allKeys: new Map<string, readonly string[]>() };

/** Keys of all concepts, each once. */
export function unitedKeys(list: readonly Concept[], which: 'codeKeys' | 'allKeys'): readonly string[] {
  const [only] = list;
  if (list.length < 2) return only?.[which] ?? [];
  const remembered = keysOf[which];
  let numbers = '';
  for (const concept of list) numbers += `${concept.number},`;
  let keys = remembered.get(numbers);
  if (!keys) {
    keys = [...new Set(list.flatMap((concept) => concept[which]))];
    if (remembered.size < REMEMBERED) remembered.set(numbers, keys);
  }
  return keys;
}
