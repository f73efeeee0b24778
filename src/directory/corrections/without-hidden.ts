// Removes from a resource what corrections hide in it: contacts, addresses, or the whole resource. Nothing is added or altered.

import { contactKey, nationalNumber, tokenize } from '#search-index/index.ts';
import type { Correction } from '#store/snapshots/corrections.ts';

/** The key by which a correction recognizes a mailbox, telephone or address, even if a later edition writes it a little differently. */
export function correctionKey(what: Correction['what'], text: string): string {
  if (what === 'address') return tokenize(text).join(' ');
  return (what === 'phone' && nationalNumber(text)) || contactKey(text);
}

type Hiding = Pick<Correction, 'what' | 'value'>;

interface Part {
  system?: string;
  value?: string;
}

/** JSON of the resource without the parts that the corrections hide; undefined if they hide the whole resource. */
export function withoutHidden(json: string, corrections: readonly Hiding[]): string | undefined {
  if (corrections.some(({ what }) => what === 'record')) return undefined;
  // `JSON.parse` calls this at every depth, so it also removes contacts of the persons within an Organization.
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

/** Checks whether a correction hides an address: the address must have all words of the key, as in a search. */
function hidesAddress({ what, value: hidden = '' }: Hiding, address: object): boolean {
  if (what !== 'address') return false;
  const words = tokenize(Object.values(address).flat().join(' '));
  return hidden.split(' ').every((word) => word === '' || words.includes(word));
}

const isEmpty = (_: Hiding, part: object) => Object.keys(part).length === 0;

/** Checks whether the correction hides anything of a resource, which is given as JSON. */
export function hidesSomething(json: string, correction: Hiding): boolean {
  return withoutHidden(json, [correction]) !== withoutHidden(json, []);
}
