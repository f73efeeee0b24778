// Takes out of a resource what corrections hide in it: contacts, addresses, or all of it. Nothing is ever added or altered.

import { contactKey, nationalNumber, tokenize } from '#search-index/index.ts';
import type { Correction } from '#store/snapshots/corrections.ts';

/** The key by which a mailbox, telephone or address is hidden. Later editions may write it a little differently. */
export function correctionKey(what: Correction['what'], text: string): string {
  if (what === 'address') return tokenize(text).join(' ');
  return (what === 'phone' && nationalNumber(text)) || contactKey(text);
}

type Hiding = Pick<Correction, 'what' | 'value'>;

interface Part {
  system?: string;
  value?: string;
}

/** JSON of the resource without the parts that corrections of its record hide; undefined if they hide all of it. */
export function withoutHidden(json: string, corrections: readonly Hiding[]): string | undefined {
  if (corrections.some(({ what }) => what === 'record')) return undefined;
  // This also finds the contacts of persons within an Organization.
  const shown = (key: string, value: Part | Part[]): unknown => {
    const isHidden = { telecom: hidesContact, address: hidesAddress, contact: isEmpty }[key];
    if (!isHidden) return value;
    const left = [value].flat().filter((part) => !corrections.some((one) => isHidden(one, part)));
    if (left.length === 0) return undefined;
    return Array.isArray(value) ? left : value;
  };
  return JSON.stringify(JSON.parse(json, shown));
}

function hidesContact({ what, value: hidden }: Hiding, { system, value = '' }: Part): boolean {
  const kind = system === 'email' || value.includes('@') ? 'mailbox' : 'phone';
  if (kind !== what || system === 'url') return false;
  return hidden === undefined || correctionKey(kind, value) === hidden;
}

/** An address is hidden if it has all words of the key, as in a search. */
function hidesAddress({ what, value: hidden = '' }: Hiding, address: object): boolean {
  if (what !== 'address') return false;
  const words = tokenize(Object.values(address).flat().join(' '));
  return hidden.split(' ').every((word) => word === '' || words.includes(word));
}

const isEmpty = (_: Hiding, part: object) => Object.keys(part).length === 0;

/** Checks whether a resource, given as JSON, has anything that the correction hides. */
export function hidesSomething(json: string, correction: Hiding): boolean {
  return withoutHidden(json, [correction]) !== withoutHidden(json, []);
}
