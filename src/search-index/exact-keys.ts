// The keys under which exact values are indexed. The import writes them, searches look them up.

import { plainText, tokenize } from './tokenizer.ts';

/**
 * Keys of a token (identifier, code) that the import writes: its value alone, `system|value`, and `system|` for a search for any value of
 * the system. A token without a system gets its value alone and `|value`.
 */
export function tokenKeys({
  system,
  value: written,
}: {
  system?: string;
  value: string;
}): [string, string, ...string[]] {
  const value = plainText(written);
  return system === undefined ? [value, `|${value}`] : [value, `${system}|${value}`, systemKey(system)];
}

/** Key of every token of one system. */
export function systemKey(system: string): string {
  return `${system}|`;
}

/** Key of a display label, compared without case, accents and punctuation. */
export function labelKey(label: string): string {
  return `~${tokenize(label).join(' ')}`;
}

/** Key of a mail address or telephone number, compared without case. */
export function contactKey(value: string): string {
  return plainText(value).trim().toLowerCase();
}

/** Digits of a French number in its national form, under which it is found too: +33 and 0033 become 0. */
export function nationalNumber(value: string): string {
  const digits = value.replace(/[^\d+]/g, '');
  return digits.replace(/^(\+33|0033)0?/, '0').replace('+', '00');
}

/** Key of a reference, `Type/id`. */
export function referenceKey(type: string, id: string): string {
  return `${type}/${id}`;
}
