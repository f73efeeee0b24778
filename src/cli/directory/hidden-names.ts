// The records, mailboxes and sentences that `directory report` leaves out of its lists, because corrections hide them.

import { correctionKey } from '#directory/corrections/affected.ts';
import { type ResourceType, type Snapshot, tokenize } from '#search-index/index.ts';
import type { Correction } from '#store/snapshots/corrections.ts';

export interface HiddenNames {
  /** Checks that corrections hide neither the record (`Practitioner/1`) nor this part of it. */
  isShown(record: string, part?: 'mailbox'): boolean;
  /** Checks whether a text holds the name or number of a hidden record, or a hidden mailbox. */
  isNamedIn(text: string): boolean;
}

/** Collects what the corrections in force hide, with the names and mailboxes that the snapshot has for it. */
export async function hiddenNames(snapshot: Snapshot, all: readonly Correction[]): Promise<HiddenNames> {
  const corrections = all.filter(({ endedAt, what }) => !endedAt && (what === 'record' || what === 'mailbox'));
  const mailboxes = new Set<string>();
  const names: string[][] = [];
  for (const { record, what, value } of corrections) {
    const [type, id = ''] = record.split('/');
    const found = await snapshot.read(type as ResourceType, id);
    const { name, identifier = [], telecom = [] }: Named = JSON.parse(found?.json ?? '{}');
    const held = telecom.flatMap((one) => (one.value?.includes('@') ? correctionKey('mailbox', one.value) : []));
    for (const mailbox of value === undefined ? held : [value]) mailboxes.add(mailbox);
    if (what !== 'record') continue;
    const called =
      typeof name === 'string' ? [name] : (name ?? []).map(({ family, given }) => `${family} ${given?.[0]}`);
    const numbers = identifier.flatMap((one) => one.value ?? []);
    names.push(...[id, ...numbers, ...called].map((text) => tokenize(text)).filter(({ length }) => length > 0));
  }
  return {
    isShown: (record, part) => !corrections.some((one) => one.record === record && [part, 'record'].includes(one.what)),
    isNamedIn(text) {
      const folded = correctionKey('mailbox', text);
      const words = new Set(tokenize(text));
      return (
        [...mailboxes].some((one) => folded.includes(one)) || names.some((one) => one.every((word) => words.has(word)))
      );
    },
  };
}

interface Named {
  name?: string | { family?: string; given?: string[] }[];
  identifier?: { value?: string }[];
  telecom?: { value?: string }[];
}
