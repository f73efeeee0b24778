// Structures that may own a mailbox of the mail register, collected by the keys that the register names.

import { tokenize } from '../../search-index/index.ts';

/** What identifies a structure to the mail register. */
export interface StructureIdentity {
  siret: string;
  name: string;
  /** National identifier of structures (PA.46). */
  nationalId?: string;
}

/** A structure that has a key; `name` in folded words. */
export interface MailboxCandidate {
  key: string;
  id: string;
  name: string;
}

/** The keys by which the mail register names structures. Plain data, for it goes to other threads. */
export type WantedKeys = ReadonlySet<string>;

export type MailboxCandidates = ReturnType<typeof createMailboxCandidates>;

/** The keys under which a structure may be named, each with the structure. */
export function mailboxCandidatesOf(id: string, { siret, name, nationalId }: StructureIdentity): MailboxCandidate[] {
  const keys = [`id:${id}`];
  if (siret !== '') keys.push(`siret:${siret}`);
  if (nationalId) keys.push(`national:${nationalId}`);
  return keys.map((key) => ({ key, id, name }));
}

/** Collects structures that are wanted, in a thread that knows the keys only. */
export function createMailboxCandidates(wanted: WantedKeys) {
  const candidates: MailboxCandidate[] = [];
  return {
    /** A structure that a line names. */
    add(id: string, structure: StructureIdentity): void {
      for (const candidate of mailboxCandidatesOf(id, structure)) {
        if (wanted.has(candidate.key)) candidates.push({ ...candidate, name: folded(candidate.name) });
      }
    },
    all: (): readonly MailboxCandidate[] => candidates,
  };
}

/** A name as it is compared. */
export function folded(name: string): string {
  return tokenize(name).join(' ');
}
