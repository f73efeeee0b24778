// A small invented edition of the directory, in the form that the loader hands to a snapshot.

import { labelKey, referenceKey } from '#search-index/exact-keys.ts';
import type { IndexedResource } from '#search-index/snapshot.ts';
import { fold } from '#search-index/tokenizer.ts';
import {
  addressAt,
  type Contact,
  conceptKeys,
  concepts,
  contactKeysOf,
  keysOf,
  mailbox,
  number,
  type Token,
} from './edition-parts.ts';

export const NAMESPACE = 'https://connect.example';
export const RPPS = `${NAMESPACE}/fhir/Identifier/practitioner-rpps`;
export const NATIONAL = 'urn:oid:1.2.250.1.71.4.2.1';
export const PROFESSION = 'https://mos.esante.gouv.fr/NOS/TRE_G15-ProfessionSante/FHIR/TRE-G15-ProfessionSante';
export const FINESS = 'https://finess.esante.gouv.fr';
export const ROLE = 'https://mos.esante.gouv.fr/NOS/TRE_R21-Fonction/FHIR/TRE-R21-Fonction';
export const SPECIALTY = 'https://mos.esante.gouv.fr/NOS/TRE_R38-SpecialiteOrdinale/FHIR/TRE-R38-SpecialiteOrdinale';

interface Person {
  id: string;
  family: string;
  given: string[];
  prefix?: string;
  rpps?: string;
  /** Lines, then postal code and town. */
  addresses?: readonly (readonly [line: string, postalCode: string, city: string])[];
  qualifications?: readonly (readonly [code: string, label: string])[];
  telecom?: readonly string[];
  active?: boolean;
}

interface Structure {
  id: string;
  name: string;
  alias?: string;
  finess: string;
  address?: readonly [line: string, postalCode: string, city: string];
  partOf?: string;
  type?: string;
  telecom?: readonly Contact[];
  /** Latitude and longitude of its address. */
  at?: readonly [number, number];
}

function practitioner(person: Person): IndexedResource {
  const { id, family, given, rpps, addresses = [], qualifications = [], telecom = [], active = true } = person;
  const identifier: Token[] = rpps
    ? [
        { system: NATIONAL, value: `8${rpps}` },
        { system: RPPS, value: rpps },
      ]
    : [{ value: `LOCAL-${id}` }];
  return {
    type: 'Practitioner',
    id,
    sortKey: fold(`${family} ${given.join(' ')}`),
    resource: {
      resourceType: 'Practitioner',
      id,
      identifier,
      active,
      name: [{ use: 'official', family, given, ...(person.prefix ? { prefix: [person.prefix] } : {}) }],
      ...(telecom.length > 0 ? { telecom: telecom.map(mailbox) } : {}),
      ...(addresses.length > 0
        ? { address: addresses.map(([line, postalCode, city]) => ({ use: 'work', line: [line], city, postalCode })) }
        : {}),
      ...(qualifications.length > 0
        ? {
            qualification: qualifications.map(([code, display]) => ({
              code: { coding: [{ system: PROFESSION, code, display }], text: display },
            })),
          }
        : {}),
    },
    index: {
      name: [[family, ...given].join(' ')],
      family: [family],
      given: [given.join(' ')],
      identifier: keysOf(identifier),
      address: addresses.map((parts) => parts.join(' ')),
      'address-city': addresses.map(([, , city]) => city),
      'address-postalcode': addresses.map(([, postalCode]) => postalCode),
      qualification: [
        ...keysOf(qualifications.map(([value]) => ({ system: PROFESSION, value }))),
        ...qualifications.map(([, label]) => labelKey(label)),
      ],
      telecom: contactKeysOf(telecom.map(mailbox)),
      active: [String(active)],
    },
  };
}

function organization(structure: Structure): IndexedResource {
  const { id, name, alias, finess, address, partOf, type, telecom = [], at } = structure;
  const identifier: Token[] = [{ system: FINESS, value: finess }];
  const types: Token[] = type ? [{ system: 'urn:oid:1.2.250.1.213.2.28', value: type }] : [];
  return {
    type: 'Organization',
    id,
    sortKey: fold(name),
    resource: {
      resourceType: 'Organization',
      id,
      identifier,
      active: true,
      ...(type ? { type: concepts(types) } : {}),
      name,
      ...(alias ? { alias: [alias] } : {}),
      ...(address ? { address: [addressAt(address, at)] } : {}),
      ...(telecom.length > 0 ? { telecom } : {}),
      ...(partOf ? { partOf: { reference: `Organization/${partOf}` } } : {}),
    },
    index: {
      name: alias ? [name, alias] : [name],
      identifier: keysOf(identifier),
      address: address ? [address.join(' ')] : [],
      'address-city': address ? [address[2]] : [],
      'address-postalcode': address ? [address[1]] : [],
      'part-of': partOf ? [referenceKey('Organization', partOf)] : [],
      type: conceptKeys(types),
      telecom: contactKeysOf(telecom),
      active: ['true'],
      near: at ? [at.join('|')] : [],
    },
  };
}

interface Role {
  id: string;
  practitioner: string;
  organization?: string;
  code?: string;
  specialty?: string;
}

function practitionerRole({ id, practitioner, organization, code, specialty }: Role): IndexedResource {
  const codes: Token[] = code ? [{ system: ROLE, value: code }] : [];
  const specialties: Token[] = specialty ? [{ system: SPECIALTY, value: specialty }] : [];
  const person = referenceKey('Practitioner', practitioner);
  const structure = organization ? [referenceKey('Organization', organization)] : [];
  return {
    type: 'PractitionerRole',
    id,
    sortKey: '',
    resource: {
      resourceType: 'PractitionerRole',
      id,
      active: true,
      practitioner: { reference: person },
      ...(structure[0] ? { organization: { reference: structure[0] } } : {}),
      ...(code ? { code: concepts(codes) } : {}),
      ...(specialty ? { specialty: concepts(specialties) } : {}),
    },
    index: {
      practitioner: [person],
      organization: structure,
      role: conceptKeys(codes),
      specialty: conceptKeys(specialties),
      active: ['true'],
    },
  };
}

const PEOPLE: readonly Person[] = [
  {
    id: 'prat-1',
    family: 'DUVAL-LEBRUN',
    given: ['Hélène', 'Marie'],
    prefix: 'DR',
    rpps: '10000000011',
    addresses: [
      ["12 R DE L'ÉGLISE", '25300', 'PONTARLIER'],
      ['3 BD DU GAL LECLERC', '75014', 'PARIS'],
    ],
    qualifications: [['10', 'Médecin']],
    telecom: ['helene.duval@mail.example'],
  },
  {
    id: 'prat-2',
    family: 'LEBŒUF',
    given: ['Jean'],
    rpps: '10000000029',
    addresses: [['7 AV ST MARTIN', '54000', 'NANCY']],
    qualifications: [
      ['21', 'Pharmacien'],
      ['10', 'Médecin'],
    ],
    telecom: ['Jean.Leboeuf@mail.example', 'jean2@other.example'],
  },
  {
    id: 'prat-3',
    family: "N'GUYEN",
    given: ['Anne'],
    rpps: '10000000037',
    addresses: [['100 PLACE DU MARCHE', '75012', 'PARIS']],
    qualifications: [['50', 'Sage-femme']],
    active: false,
  },
  {
    id: 'prat-4',
    family: 'ST-AMAND',
    given: ['Li'],
    rpps: '10000000045',
    qualifications: [['26', 'Audioprothésiste, expert']],
  },
  { id: 'prat-5', family: 'WU', given: ['Xi'] },
];

/** People beside the named ones, to fill pages; all of them called Zimmer. */
export const CROWD = 123;

const STRUCTURES: readonly Structure[] = [
  {
    id: 'org-1',
    name: 'CENTRE HOSPITALIER SAINT LUC',
    alias: 'CH St-Luc',
    finess: '250000015',
    address: ['2 RUE DU FBG', '25300', 'PONTARLIER'],
    type: '355',
    at: [46.9035, 6.3554],
    telecom: [number('phone', '+33 3 81 00 00 01'), number('fax', '03 81 00 00 02'), mailbox('ch@mail.example')],
  },
  {
    id: 'org-2',
    name: 'SERVICE DE PÉDIATRIE',
    finess: '250000023',
    partOf: 'org-1',
    address: ['2 R DU FAUBOURG', '25300', 'PONTARLIER'],
    at: [46.904, 6.3561],
  },
  {
    id: 'org-3',
    name: 'EHPAD LES ŒILLETS',
    finess: '540000037',
    partOf: 'org-1',
    address: ['1 CHE DES PRES', '54000', 'NANCY'],
    type: '500',
    at: [48.6921, 6.1844],
  },
  {
    id: 'org-4',
    name: 'PHARMACIE DU BD',
    finess: '750000041',
    telecom: [number('phone', '03.81.00.00.02'), mailbox('bd@shop.example')],
  },
];

/** The last one leads nowhere: neither its person nor its structure is there. */
const ROLES: readonly Role[] = [
  { id: 'prat-1-a', practitioner: 'prat-1', organization: 'org-2', code: 'FON-01', specialty: 'SM40' },
  { id: 'prat-1-b', practitioner: 'prat-1', organization: 'org-1', code: 'FON-02' },
  { id: 'prat-2-a', practitioner: 'prat-2', organization: 'org-4', code: 'FON-01' },
  { id: 'prat-3-a', practitioner: 'prat-3', specialty: 'SM40' },
  { id: 'gone-a', practitioner: 'gone', organization: 'gone', code: 'FON-02' },
];

/** Roles of the crowd, all in one structure; so many that they fill pages, too. */
function crowdRoles(): Role[] {
  return Array.from({ length: CROWD }, (_, number) => ({
    id: `crowd-${number}-a`,
    practitioner: `crowd-${number}`,
    organization: 'org-3',
    code: number % 3 === 0 ? 'FON-01' : 'FON-02',
  }));
}

/** The resources of the edition, in no particular order. */
export function edition(): IndexedResource[] {
  const crowd = Array.from({ length: CROWD }, (_, number) =>
    practitioner({
      id: `crowd-${number}`,
      family: 'ZIMMER',
      given: [number % 2 === 0 ? 'Paul' : 'Paula'],
      rpps: String(10_000_100_000 + number),
      addresses: [[`${number + 1} RUE HAUTE`, '67000', 'STRASBOURG']],
    }),
  );
  return [
    ...crowd,
    ...PEOPLE.map(practitioner),
    ...STRUCTURES.map(organization),
    ...[...crowdRoles(), ...ROLES].map(practitionerRole),
  ];
}
