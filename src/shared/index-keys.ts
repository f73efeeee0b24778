// Owns the keys under which exact values stand in a directory snapshot: the loader writes them, the search asks for them.
// Does not own which element a key is taken from (the mapping) nor who may ask (the parameter tables).

import { wordsOf } from './words.ts';

/** Keys of a token (identifier, code): its value alone, and `system|value`, or `|value` where it has no system. */
export function tokenKeys(token: { system?: string; value: string }): [string, string] {
  return [token.value, `${token.system ?? ''}|${token.value}`];
}

/** Key of every token of one system, for the search form `system|`: written once for each system of a resource. */
export function systemKey(system: string): string {
  return `${system}|`;
}

/** Key of a display label, compared without case, accents and punctuation. */
export function labelKey(label: string): string {
  return `~${wordsOf(label).join(' ')}`;
}

/** Key of a mail address or telephone number, compared without case. */
export function contactKey(value: string): string {
  return value.trim().toLowerCase();
}

/** Key of a reference, `Type/id`. */
export function referenceKey(type: string, id: string): string {
  return `${type}/${id}`;
}
