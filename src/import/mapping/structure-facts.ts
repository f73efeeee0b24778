// What one line of one register says about a structure.

import type { Warn } from '../publish/report.ts';
import { A } from '../registers/activity.ts';
import { cell, type Row } from '../registers/columns.ts';
import { E, J } from '../registers/finess-text.ts';
import { M } from '../registers/mailbox.ts';
import { activityAddress, finessAddress, type MappedAddress, mailboxAddress } from './addresses.ts';
import { CODE_SYSTEMS } from './code-systems.ts';
import { type Concept, conceptKind } from './codeable-concepts.ts';
import { type Contact, mailContact, numberContact } from './contact-points.ts';
import { finessId } from './structure-id.ts';

export interface StructureFacts {
  source: 'activities' | 'establishment' | 'legal-entity' | 'mailbox' | 'reference';
  name: string;
  aliases: readonly string[];
  finess: string;
  siret: string;
  siren: string;
  /** National identifier of structures: 0 ADELI, 1 FINESS, 2 SIREN, 3 SIRET or 4 RPPS before a number. */
  nationalId: string;
  types: readonly (Concept | undefined)[];
  address: MappedAddress | undefined;
  contacts: readonly Contact[];
  /** Id of the legal entity. */
  partOf: string;
}

/** Facts of a structure of which nothing is known. */
export const NOTHING: Omit<StructureFacts, 'source'> = {
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

const sectors = conceptKind(() => [CODE_SYSTEMS.sector]);
export const categories = conceptKind(() => [CODE_SYSTEMS.establishmentCategory]);
export const publicServices = conceptKind(() => [CODE_SYSTEMS.publicService]);
export const legalStatuses = conceptKind(() => [CODE_SYSTEMS.legalStatus]);

/** PA.19-46, 48 and 49. */
export function factsOfActivity(row: Row, warn: Warn): StructureFacts {
  const legal = cell(row, A.legalFiness);
  return {
    source: 'activities',
    name: cell(row, A.name) || cell(row, A.tradeName),
    aliases: [cell(row, A.tradeName)],
    finess: cell(row, A.finess),
    siret: cell(row, A.siret),
    siren: cell(row, A.siren),
    nationalId: cell(row, A.formerId),
    types: [sectors(cell(row, A.sector), cell(row, A.sectorLabel))],
    address: activityAddress(row),
    contacts: contactsOf(
      [
        ['phone', cell(row, A.phone)],
        ['phone', cell(row, A.phone2)],
        ['fax', cell(row, A.fax)],
      ],
      [cell(row, A.mail)],
      warn,
    ),
    partOf: legal === '' ? '' : finessId(legal),
  };
}

/** A `structureet` line of FINESS. */
export function factsOfEstablishment(row: Row, warn: Warn): StructureFacts {
  const legal = cell(row, E.legalFiness);
  return {
    ...NOTHING,
    source: 'establishment',
    ...namesOf(cell(row, E.name), cell(row, E.shortName)),
    finess: cell(row, E.finess),
    siret: cell(row, E.siret),
    nationalId: `1${cell(row, E.finess)}`,
    types: [
      categories(cell(row, E.category), cell(row, E.categoryLabel)),
      publicServices(cell(row, E.publicService), cell(row, E.publicServiceLabel)),
    ],
    address: finessAddress(row, E),
    contacts: contactsOf(
      [
        ['phone', cell(row, E.phone)],
        ['fax', cell(row, E.fax)],
      ],
      [],
      warn,
    ),
    partOf: legal === '' ? '' : finessId(legal),
  };
}

/** A `structureej` line of FINESS. */
export function factsOfLegalEntity(row: Row, warn: Warn): StructureFacts {
  return {
    ...NOTHING,
    source: 'legal-entity',
    ...namesOf(cell(row, J.name), cell(row, J.shortName)),
    finess: cell(row, J.finess),
    siren: cell(row, J.siren),
    nationalId: `1${cell(row, J.finess)}`,
    types: [
      legalStatuses(cell(row, J.status), cell(row, J.statusLabel)),
      categories(cell(row, J.category), cell(row, J.categoryLabel)),
    ],
    address: finessAddress(row, J),
    contacts: contactsOf([['phone', cell(row, J.phone)]], [], warn),
  };
}

/** The structure of a line of the mail register, for when no other register knows it. */
export function factsOfMailbox(row: Row): StructureFacts {
  const type = cell(row, M.structureIdType).toUpperCase();
  const id = cell(row, M.structureId);
  return {
    ...NOTHING,
    source: 'mailbox',
    name: cell(row, M.name) || cell(row, M.tradeName),
    aliases: [cell(row, M.tradeName)],
    finess: type === 'FINESS' ? id : '',
    siret: type === 'SIRET' ? id : '',
    siren: type === 'SIREN' ? id : '',
    nationalId: `${NATIONAL_PREFIX[type] ?? ''}${id}`,
    address: mailboxAddress(row),
  };
}

/** First digit of the national identifier of a structure by the type that the mail register names. */
export const NATIONAL_PREFIX: Readonly<Record<string, string>> = {
  ADELI_RANG: '0',
  FINESS: '1',
  SIREN: '2',
  SIRET: '3',
  RPPS_RANG: '4',
};

/** A legal entity of which another line gives the FINESS number. */
export function factsOfReference(finess: string): StructureFacts {
  return { ...NOTHING, source: 'reference', finess, nationalId: `1${finess}` };
}

/** A short name that is only the long one cut off is no alias. */
export function namesOf(long: string, short: string): { name: string; aliases: string[] } {
  if (long === '') return { name: short, aliases: [] };
  return { name: long, aliases: short === '' || long.startsWith(short) ? [] : [short] };
}

/** Contacts of a line; empty texts are none. */
export function contactsOf(
  numbers: readonly (readonly ['phone' | 'fax', string])[],
  mails: readonly string[],
  warn: Warn,
): Contact[] {
  const contacts: Contact[] = [];
  for (const [system, value] of numbers) {
    const contact = numberContact(system, value);
    if (contact === 'meaningless') warn('meaningless-number', value);
    else if (contact) contacts.push(contact);
  }
  for (const mail of mails) {
    const contact = mailContact(mail);
    if (contact) contacts.push(contact);
    else if (mail !== '') warn('not-an-address', mail);
  }
  return contacts;
}
