// Reads the facts about a structure from one line of a register.

import { cell, type Row } from '#import/collect/columns.ts';
import type { Warn } from '#import/collect/warnings.ts';
import { F, REPEATED } from '#import/registers/finess-row.ts';
import { A, M } from '#import/registers/person-columns.ts';
import { activityAddress, finessAddress, type MappedAddress, mailboxAddress } from './addresses.ts';
import { type Concept, conceptOf, type MappingContext } from './codeable-concepts.ts';
import { type Contact, mailContact, numberContact } from './contact-points.ts';
import { finessId } from './resource-ids.ts';

export interface StructureFacts {
  source: 'activities' | 'establishment' | 'legal-entity' | 'mailbox' | 'reference';
  name: string;
  aliases: readonly string[];
  finess: string;
  siret: string;
  siren: string;
  /**
   * National identifier of structures: a digit for the type (0 ADELI, 1 FINESS, 2 SIREN, 3 SIRET, 4 RPPS), followed by the number of that
   * type.
   */
  nationalId: string;
  types: readonly (Concept | undefined)[];
  address: MappedAddress | undefined;
  contacts: readonly Contact[];
  /** Id of the Organization of the legal entity. Empty if the line states no legal entity. */
  partOf: string;
}

/** Empty facts, for registers that state only some of them. */
export const NO_FACTS: Omit<StructureFacts, 'source'> = {
  name: '',
  aliases: [],
  finess: '',
  siret: '',
  siren: '',
  nationalId: '',
  types: [],
  address: undefined,
  contacts: [],
  partOf: '',
};

/** Reads the facts from the columns PA.19-46, 48 and 49 of a line of activities. */
export function factsOfActivity(row: Row, { concepts, warn }: MappingContext): StructureFacts {
  const legal = cell(row, A.legalFiness);
  return {
    source: 'activities',
    name: cell(row, A.name) || cell(row, A.tradeName),
    aliases: [cell(row, A.tradeName)],
    finess: cell(row, A.finess),
    siret: cell(row, A.siret),
    siren: cell(row, A.siren),
    nationalId: cell(row, A.formerId),
    types: [conceptOf(concepts.sector, row, A.sector, A.sectorLabel)],
    address: activityAddress(row),
    contacts: contactsOf(
      { phone: [cell(row, A.phone), cell(row, A.phone2)], fax: [cell(row, A.fax)], mail: [cell(row, A.mail)] },
      warn,
    ),
    partOf: legal === '' ? '' : finessId(legal),
  };
}

/**
 * Reads the facts from a line of FINESS. The cells of labels and departments are empty in lines of the JSON feed, because only the text
 * files have them.
 */
export function factsOfFiness(row: Row, { concepts, warn }: MappingContext): StructureFacts {
  const legal = cell(row, F.legalFiness);
  const texts = (column: number) => cell(row, column).split(REPEATED);
  const [name, shortName] = [cell(row, F.name), cell(row, F.shortName)];
  return {
    source: cell(row, F.line) === 'structureej' ? 'legal-entity' : 'establishment',
    name: name || shortName,
    // A short name is not kept as an alias if it is only the beginning of the long name.
    aliases: name.startsWith(shortName) ? [] : [shortName],
    finess: cell(row, F.finess),
    siret: cell(row, F.siret),
    siren: cell(row, F.siren),
    nationalId: `1${cell(row, F.finess)}`,
    types: [
      conceptOf(concepts.category, row, F.category, F.categoryLabel),
      conceptOf(concepts.legalStatus, row, F.status, F.statusLabel),
      ...texts(F.publicService).map((code) => concepts.publicService(code, cell(row, F.publicServiceLabel))),
    ],
    address: finessAddress(row),
    contacts: contactsOf({ phone: texts(F.phone), fax: texts(F.fax), mail: texts(F.mail) }, warn),
    partOf: legal === '' ? '' : finessId(legal),
  };
}

/** Reads the facts from a line of the mail register. Used only if no other register describes the structure. */
export function factsOfMailbox(row: Row): StructureFacts {
  const type = cell(row, M.structureIdType).toUpperCase();
  const id = cell(row, M.structureId);
  return {
    ...NO_FACTS,
    source: 'mailbox',
    name: cell(row, M.name) || cell(row, M.tradeName),
    aliases: [cell(row, M.tradeName)],
    finess: type === 'FINESS' ? id : '',
    siret: type === 'SIRET' ? id : '',
    siren: type === 'SIREN' ? id : '',
    nationalId: `${NATIONAL_PREFIX.get(type) ?? ''}${id}`,
    address: mailboxAddress(row),
  };
}

/** First digit of the national identifier of a structure, by the type of identifier in the mail register. */
export const NATIONAL_PREFIX: ReadonlyMap<string, string> = new Map([
  ['ADELI_RANG', '0'],
  ['FINESS', '1'],
  ['SIREN', '2'],
  ['SIRET', '3'],
  ['RPPS_RANG', '4'],
]);

/** Returns the facts about a legal entity of which only the FINESS number is known, because a line of another structure names it. */
export function factsOfReference(finess: string): StructureFacts {
  return { ...NO_FACTS, source: 'reference', finess, nationalId: `1${finess}` };
}

/** Maps the contacts of a line. Empty texts are skipped. Texts that are no number or address give a warning. */
function contactsOf(texts: Record<'phone' | 'fax' | 'mail', readonly string[]>, warn: Warn): Contact[] {
  const contacts: Contact[] = [];
  for (const system of ['phone', 'fax'] as const) {
    for (const value of texts[system]) {
      const contact = numberContact(system, value);
      if (contact === 'meaningless') warn('meaningless-number', value);
      else if (contact) contacts.push(contact);
    }
  }
  for (const mail of texts.mail) {
    const contact = mailContact(mail);
    if (contact) contacts.push(contact);
    else if (mail !== '') warn('not-an-address', mail);
  }
  return contacts;
}
