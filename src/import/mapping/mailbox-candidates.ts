// Structures that may own a mailbox of the mail register, collected by the keys that the register names.

import { tokenize } from '../../search-index/index.ts';
import { createNumberSet } from '../passes/number-set.ts';
import { fingerprintOf } from './resource-ids.ts';

/** What identifies a structure to the mail register. */
export interface StructureIdentity {
  siret: string;
  name: string;
  /** National identifier of structures (PA.46). */
  nationalId?: string;
}

/** A structure that answers to a key; `name` in folded words. */
export interface MailboxCandidate {
  key: string;
  id: string;
  name: string;
}

/** What the mail register asks for, as fingerprints of keys (`mailKeyPrint`) in memory that threads share. */
export type WantedKeys = Float64Array<SharedArrayBuffer>;

export type MailboxCandidates = ReturnType<typeof createMailboxCandidates>;

/** The keys under which a structure may be asked for, each with the structure. */
export function mailboxCandidatesOf(id: string, { siret, name, nationalId }: StructureIdentity): MailboxCandidate[] {
  const keys = [`id:${id}`];
  if (siret !== '') keys.push(`siret:${siret}`);
  if (nationalId) keys.push(`national:${nationalId}`);
  return keys.map((key) => ({ key, id, name }));
}

/** Collects structures that are wanted, in a thread that does not know by whom. */
export function createMailboxCandidates(wanted: WantedKeys) {
  const asked = createNumberSet(wanted);
  const candidates: MailboxCandidate[] = [];
  return {
    /** A structure passes by. */
    offer(id: string, structure: StructureIdentity): void {
      for (const offer of mailboxCandidatesOf(id, structure)) {
        if (asked.has(mailKeyPrint(offer.key))) candidates.push({ ...offer, name: folded(offer.name) });
      }
    },
    all: (): readonly MailboxCandidate[] => candidates,
  };
}

export function mailKeyPrint(key: string): number {
  return fingerprintOf([key], 0, 0) || 1;
}

/** A name as it is compared. */
export function folded(name: string): string {
  return tokenize(name).join(' ');
}
