// Owns the structures that pass by while an import reads, as answers to what the mail register asks for.
// Does not own who asks (`mail-owners.ts`).

import { wordsOf } from '../../search-index/index.ts';
import { createNumberSet } from '../passes/number-set.ts';
import { fingerprintOf } from './resource-ids.ts';

/** What identifies a structure to the mail register. */
export interface OfferedStructure {
  siret: string;
  name: string;
  /** National identifier of structures (PA.46). */
  nationalId?: string;
}

/** A structure that answers to a key; `name` in folded words. */
export interface MailOffer {
  key: string;
  id: string;
  name: string;
}

/** What the mail register asks for, as fingerprints of keys (`mailKeyPrint`) in memory that threads share. */
export type WantedMail = Float64Array<SharedArrayBuffer>;

export type MailOffers = ReturnType<typeof createMailOffers>;

/** The keys under which a structure may be asked for, each with the structure. */
export function mailOffersOf(id: string, { siret, name, nationalId }: OfferedStructure): MailOffer[] {
  const keys = [`id:${id}`];
  if (siret !== '') keys.push(`siret:${siret}`);
  if (nationalId) keys.push(`national:${nationalId}`);
  return keys.map((key) => ({ key, id, name }));
}

/** Collects structures that are wanted, in a thread that does not know by whom. */
export function createMailOffers(wanted: WantedMail) {
  const asked = createNumberSet(wanted);
  const offers: MailOffer[] = [];
  return {
    /** A structure passes by. */
    offer(id: string, structure: OfferedStructure): void {
      for (const offer of mailOffersOf(id, structure)) {
        if (asked.has(mailKeyPrint(offer.key))) offers.push({ ...offer, name: folded(offer.name) });
      }
    },
    all: (): readonly MailOffer[] => offers,
  };
}

export function mailKeyPrint(key: string): number {
  return fingerprintOf([key], 0, 0) || 1;
}

/** A name as it is compared. */
export function folded(name: string): string {
  return wordsOf(name).join(' ');
}
