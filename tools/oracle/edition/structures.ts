// The structures of an edition: what activities, FINESS and the mail register say of each.

import { joined } from '../rules/words.ts';
import { distinct, ofActivity, ofFiness, type Stated } from './addresses.ts';
import type { Concepts } from './concepts.ts';
import { type Concept, type Contact, type Entry, NAMELESS, nothing } from './entry.ts';
import { type Place, placeOf } from './projections.ts';
import type { Line, Registers } from './registers.ts';

/** What one register says of a structure. */
interface Facts {
  names: readonly string[];
  finess: string;
  siret: string;
  siren: string;
  national: string;
  types: readonly Concept[];
  address: Stated | undefined;
  phones: readonly string[];
  faxes: readonly string[];
  mails: readonly string[];
  partOf: string;
}

interface Known {
  activities: Facts[];
  establishment?: Facts;
  legalEntity?: Facts;
  boxes: Line[];
}

/** The id of the structure of an activity; undefined if it names none. */
export function structureOf({ structure = '', finess = '', siret = '' }: Line): string | undefined {
  if (structure !== '') return structure;
  if (finess !== '') return `F${finess}`;
  return siret === '' ? undefined : `C${siret}`;
}

export function structuresOf(registers: Registers, concepts: Concepts): Entry[] {
  const known = new Map<string, Known>();
  const of = (id: string) => {
    const found = known.get(id) ?? { activities: [], boxes: [] };
    known.set(id, found);
    return found;
  };
  for (const line of registers.activities) {
    const id = structureOf(line);
    if (id !== undefined) of(id).activities.push(factsOfActivity(line, concepts));
  }
  for (const cells of registers.establishments)
    of(`F${cells[1]}`).establishment = factsOfEstablishment(cells, concepts);
  for (const cells of registers.legalEntities) of(`F${cells[1]}`).legalEntity = factsOfLegalEntity(cells, concepts);
  for (const { activities, establishment } of [...known.values()])
    for (const { partOf } of [...activities, ...(establishment ? [establishment] : [])]) if (partOf !== '') of(partOf);
  giveMailboxes(registers.mailboxes, known);
  const places = new Map<string, Place>();
  for (const [, finess = '', x = '', y = '', system = ''] of registers.positions) {
    const place = x === '' || y === '' ? undefined : placeOf(Number(x), Number(y), system);
    if (place) places.set(`F${finess}`, place);
  }
  return [...known].map(([id, one]) => entryOf(id, one, places.get(id)));
}

function factsOfActivity(line: Line, { sectorOf }: Concepts): Facts {
  const { name = '', sign = '', finess = '', siret = '', siren = '', formerId = '', legalFiness = '' } = line;
  return {
    names: [name || sign, sign],
    finess,
    siret,
    siren,
    national: formerId,
    types: sectorOf(line),
    address: ofActivity(line),
    phones: [line['phone'] ?? '', line['phone2'] ?? ''],
    faxes: [line['fax'] ?? ''],
    mails: [line['mail'] ?? ''],
    partOf: legalFiness === '' ? '' : `F${legalFiness}`,
  };
}

/** A short name that is only the long one cut off is none of its own. */
const namesOf = (short = '', long = '') => (long.startsWith(short) ? [long || short] : [long || short, short]);

function factsOfEstablishment(cells: readonly string[], { kindOf, publicServiceOf }: Concepts): Facts {
  const [, finess = '', legal = '', short, long, complement, distribution, number, type, street, more, mention] = cells;
  const [routing, phone = '', fax = '', kind = '', kindLabel = ''] = cells.slice(15);
  const [siret = '', , , , service = '', serviceLabel = ''] = cells.slice(22);
  return {
    names: namesOf(short, long),
    finess,
    siret,
    siren: '',
    national: `1${finess}`,
    types: [...kindOf(kind, kindLabel), ...publicServiceOf(service, serviceLabel)],
    address: ofFiness([complement, distribution], [number, more, type, street], mention, routing),
    phones: [phone],
    faxes: [fax],
    mails: [],
    partOf: legal === '' ? '' : `F${legal}`,
  };
}

function factsOfLegalEntity(cells: readonly string[], { kindOf, statusOf }: Concepts): Facts {
  const [, finess = '', short, long, complement, number, type, street, more, distribution, mention, , routing] = cells;
  const [phone = '', status = '', statusLabel = '', kind = '', kindLabel = '', siren = ''] = cells.slice(15);
  return {
    names: namesOf(short, long),
    finess,
    siret: '',
    siren,
    national: `1${finess}`,
    types: [...kindOf(kind, kindLabel), ...statusOf(status, statusLabel)],
    address: ofFiness([complement, distribution], [number, more, type, street], mention, routing),
    phones: [phone],
    faxes: [],
    mails: [],
    partOf: '',
  };
}

/** Gives each mailbox that belongs to no person to the structures that its line means: those of the same name, if there are any. */
function giveMailboxes(lines: readonly Line[], known: Map<string, Known>): void {
  const byNumber = new Map<string, Set<string>>();
  const add = (key: string, id: string) => byNumber.set(key, (byNumber.get(key) ?? new Set()).add(id));
  for (const [id, one] of known) {
    add(id, id);
    for (const { siret } of factsIn(one)) if (siret !== '') add(`SIRET ${siret}`, id);
  }
  const isNamed = (id: string, name: string) =>
    factsIn(known.get(id) as Known).some(({ names }) => joined(names[0] ?? '') === joined(name));
  for (const line of lines) {
    const { type, structureIdType = '', structureId = '', name = '' } = line;
    if (type === 'PER') continue;
    const key = structureIdType === 'FINESS' ? `F${structureId}` : structureId;
    const meant = [...(byNumber.get(key) ?? []), ...(byNumber.get(`${structureIdType} ${structureId}`) ?? [])];
    const named = meant.filter((id) => isNamed(id, name));
    for (const id of new Set(named.length > 0 ? named : meant)) known.get(id)?.boxes.push(line);
  }
}

const factsIn = ({ activities, establishment, legalEntity }: Known): Facts[] => [
  ...activities,
  ...(establishment ? [establishment] : []),
  ...(legalEntity ? [legalEntity] : []),
];

const NATIONAL = 'urn:oid:1.2.250.1.71.4.2.2';
const FINESS = 'https://finess.esante.gouv.fr';
const SIRENE = 'https://sirene.fr';

function entryOf(id: string, known: Known, place: Place | undefined): Entry {
  const { establishment, legalEntity, activities } = known;
  const facts = factsIn(known);
  const names = new Map<string, string>();
  for (const name of facts.flatMap((one) => one.names))
    if (joined(name) !== '' && !names.has(joined(name))) names.set(joined(name), name);
  const [main] = names.keys();
  const ofActivities = activities.map(({ address }) => address);
  const addresses = distinct(
    ofActivities.some(Boolean) ? ofActivities : [facts.find(({ address }) => address)?.address],
    'site',
  );
  const postalCode = (establishment ?? legalEntity)?.address?.postalCode ?? '';
  const isNear = (digits: number) =>
    addresses.some((one) => one.postalCode.slice(0, digits) === postalCode.slice(0, digits));
  const identifiers = facts.flatMap(({ national, finess, siret, siren }) => [
    [NATIONAL, national] as const,
    [FINESS, finess] as const,
    [SIRENE, siret] as const,
    [SIRENE, siren] as const,
  ]);
  if (facts.length === 0) identifiers.push([NATIONAL, `1${id.slice(1)}`], [FINESS, id.slice(1)]);
  const partOf = facts.find((one) => one.partOf !== '' && one.partOf !== id)?.partOf;
  return {
    ...nothing,
    type: 'Organization',
    id,
    alphabet: main ?? NAMELESS,
    names: [...names.values()],
    identifiers: [...identifiers.filter(([, value]) => value !== ''), [TECHNICAL, id]],
    addresses,
    contacts: contactsOf(facts, known.boxes),
    concepts: { type: [...new Set(facts.flatMap(({ types }) => types))] },
    references: partOf === undefined ? {} : { partof: partOf },
    ...(place && establishment && postalCode !== '' && (isNear(5) || isNear(2)) && { place }),
  };
}

/** Stands for the system of the service's own identifiers, which depends on its configuration. */
export const TECHNICAL = '{own}organization-technical-id';

function contactsOf(facts: readonly Facts[], boxes: readonly Line[]): Contact[] {
  const contacts: Contact[] = [];
  const add = (system: Contact['system'], value: string) => {
    if (value === '' || contacts.some((one) => one.system === system && sameContact(one.value, value))) return;
    if (system === 'email' ? value.includes('@') : !/^(\d)\1*$/.test(nationalNumber(value)))
      contacts.push({ system, value });
  };
  for (const { phones, faxes, mails } of facts) {
    for (const phone of phones) add('phone', phone);
    for (const fax of faxes) add('fax', fax);
    for (const mail of mails) add('email', mail);
  }
  return [...contacts, ...secure(boxes)];
}

/** Digits of a number as they are dialled within the country. */
export function nationalNumber(value: string): string {
  return value
    .replaceAll(/[^\d+]/g, '')
    .replace(/^(\+|00)33/, '0')
    .replace(/^00(?=[1-9])/, '0');
}

function sameContact(one: string, other: string): boolean {
  return one.includes('@') ? one.toLowerCase() === other.toLowerCase() : nationalNumber(one) === nationalNumber(other);
}

export function secure(boxes: readonly Line[]): Contact[] {
  const addresses = new Map(boxes.map(({ address = '' }) => [address.toLowerCase(), address]));
  return [...addresses.values()].map((value) => ({ system: 'email', value, isSecure: true }));
}
