// What a legal entity or establishment of the FINESS JSON flow says about a structure; labels and departments are not in it.

import { type MappedAddress, mapAddress } from '../mapping/addresses.ts';
import {
  categories,
  contactsOf,
  legalStatuses,
  NOTHING,
  namesOf,
  publicServices,
  type StructureFacts,
} from '../mapping/structure-facts.ts';
import { finessId } from '../mapping/structure-id.ts';
import type { Warn } from '../publish/report.ts';
import { cell, type Row } from './columns.ts';
import { JE, JL } from './finess-json.ts';
import { REPEATED } from './finess-json-reader.ts';

/** An `ege`; the last cell is the FINESS number of its legal entity. */
export function factsOfJsonEstablishment(row: Row, warn: Warn): StructureFacts {
  return {
    ...NOTHING,
    source: 'establishment',
    ...namesOf(cell(row, JE.name), cell(row, JE.shortName)),
    finess: cell(row, JE.finess),
    siret: cell(row, JE.siret),
    nationalId: `1${cell(row, JE.finess)}`,
    types: [
      categories(cell(row, JE.category), ''),
      ...texts(row, JE.publicService).map((code) => publicServices(code, '')),
    ],
    address: addressOf(row, JE),
    contacts: contactsAt(row, JE, warn),
    partOf: finessId(row.at(-1) ?? ''),
  };
}

/** A `pmej`. */
export function factsOfJsonLegalEntity(row: Row, warn: Warn): StructureFacts {
  return {
    ...NOTHING,
    source: 'legal-entity',
    ...namesOf(cell(row, JL.name), cell(row, JL.shortName)),
    finess: cell(row, JL.finess),
    siren: cell(row, JL.siren),
    nationalId: `1${cell(row, JL.finess)}`,
    types: [legalStatuses(cell(row, JL.status), ''), categories(cell(row, JL.category), '')],
    address: addressOf(row, JL),
    contacts: contactsAt(row, JL, warn),
  };
}

function texts(row: Row, column: number): string[] {
  return cell(row, column).split(REPEATED);
}

type Columns = Pick<typeof JE, keyof typeof JE & keyof typeof JL>;

function contactsAt(row: Row, at: Columns, warn: Warn) {
  const numbers = [
    ...texts(row, at.phone).map((value) => ['phone', value] as const),
    ...texts(row, at.fax).map((value) => ['fax', value] as const),
  ];
  return contactsOf(numbers, texts(row, at.mail), warn);
}

function addressOf(row: Row, at: Columns): MappedAddress | undefined {
  const parts = [at.number, at.streetMore, at.streetType, at.street].map((column) => cell(row, column));
  const postalCode = cell(row, at.postalCode);
  const routing = cell(row, at.routing);
  const town = routing.replace(/^\d{5}\s*/, '');
  return mapAddress({
    above: [cell(row, at.locality), cell(row, at.distribution)].filter((text) => text !== ''),
    street: parts.filter((text) => text !== '').join(' ') || cell(row, at.line4),
    mention: cell(row, at.mention),
    cedex: town === '' ? '' : `${postalCode} ${town}`.trim(),
    postalCode,
    city: town.replace(/\s+CEDEX(\s+\d+)?$/i, ''),
    commune: /^(\d\d|2[AB])\d{3}$/.test(cell(row, at.commune)) ? cell(row, at.commune) : '',
    district: '',
    country: '',
  });
}
