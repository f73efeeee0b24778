// One address: as the cells of a line, as its parts, and as the element of a resource.

import { CODE_SYSTEMS, EXTENSIONS } from '#import/mapping/code-systems.ts';
import { finessRow } from '#import/registers/finess-row.ts';

/** A row of FINESS with these cells. */
export const finess = (cells: Readonly<Record<string, string>>) => finessRow(new Map(Object.entries(cells)));

export const PLACE = {
  addressee: 'SERVICE X',
  locality: 'BATIMENT C',
  number: '12',
  numberIndex: 'B',
  streetTypeLabel: 'Boulevard',
  street: 'LECLERC',
  mention: 'BP 10',
  cedex: '25304 PONTARLIER CEDEX',
  postalCode: '25304',
  commune: '2A  462',
  city: 'Pontarlier',
  country: 'France',
  department: 'DOUBS',
};
export const PLACE_PARTS = {
  above: ['SERVICE X', 'BATIMENT C'],
  street: '12 B Boulevard LECLERC',
  mention: 'BP 10',
  cedex: '25304 PONTARLIER CEDEX',
  postalCode: '25304',
  city: 'Pontarlier',
  commune: '2A  462',
  district: 'DOUBS',
  country: 'France',
};
export const PLACE_ELEMENT = {
  extension: [{ url: EXTENSIONS.commune, valueCoding: { system: CODE_SYSTEMS.commune, code: '2A 462' } }],
  use: 'work',
  line: ['SERVICE X', 'BATIMENT C', '12 B Boulevard LECLERC', 'BP 10', '25304 PONTARLIER CEDEX'],
  city: 'Pontarlier',
  district: 'DOUBS',
  postalCode: '25304',
  country: 'France',
};
