// Random and hostile searches for the fuzz test: plausible ones from the words of the edition, and ones made of
// metacharacters, broken bytes, giant values, odd modifiers and control characters.

import fc from 'fast-check';
import { TABLES } from '#directory/resources/resource-types.ts';
import { chainsOf, linkedTable } from '#directory/search/chains.ts';
import type { ResourceType } from '#search-index/snapshot.ts';
import { FINESS, NATIONAL, PROFESSION, RPPS, SPECIALTY } from '#support/directory/edition.ts';

export interface FuzzQuery {
  type: string;
  /** Percent-encoded, as it goes over the wire. */
  query: string;
  /** The criteria that the query is made of, where it has nothing else that could change what is found. */
  plain?: readonly (readonly [name: string, value: string])[];
  post: boolean;
  lenient: boolean;
}

const NAMES = [
  'zim',
  'zimmer',
  'paul',
  'paula',
  'duval',
  'LEBŒUF',
  'oeillets',
  'Hélène',
  "n'guyen",
  'st',
  'saint',
  'ch',
];
const PLACES = ['7', '67000', 'stras', 'pont', 'boulevard', 'bd', 'rue', 'r', 'faubourg', 'fbg', 'nancy', '540', 'av'];
const VOCABULARY: Record<string, readonly string[]> = {
  name: NAMES,
  family: NAMES,
  given: NAMES,
  address: PLACES,
  'address-city': PLACES,
  'address-postalcode': PLACES,
  identifier: ['10000000011', `${RPPS}|10000000029`, `${NATIONAL}|`, '|LOCAL-prat-5', `${FINESS}|`, '250000015'],
  qualification: ['10', `${PROFESSION}|21`, 'Médecin', 'sage femme', `${PROFESSION}|`],
  telecom: ['jean2@other.example', 'HELENE.duval@mail.example', 'email|bd@shop.example', 'fax|', '+33 3 81 00 00 02'],
  email: ['jean2@other.example', 'ch@mail.example', 'email|', '0381000001'],
  phone: ['0381000001', '+33 381000002', 'phone|03 81 00 00 02', 'phone|', '0033 1 40 00 00 01'],
  'mailbox-mss': ['HELENE.duval@mail.example', 'bd@shop.example', 'crowd.0@mssante.example'],
  'part-of': ['Organization/org-1', 'org-1', 'org-4'],
  partof: ['Organization/org-1', 'Patient/1'],
  type: ['355', '500', 'centre hospitalier C H'],
  role: ['FON-01', 'FON-02', 'titulaire de cabinet'],
  specialty: ['SM40', `${SPECIALTY}|`, 'Radio-diagnostic et imagerie'],
  near: [
    '46.9035|6.3554|1|km',
    '48.6921|6.1844|250000|m',
    '46.9|6.35',
    '-90|180|30000|km',
    '46.9035|6.3554|100|m',
    '6.3|146.9',
  ],
  practitioner: ['prat-1', 'Practitioner/prat-2', 'Organization/org-1'],
  organization: ['org-1', 'Organization/org-2'],
  active: ['true', 'false', 'TRUE'],
  _id: ['prat-1', 'crowd-7', 'org-1', 'Practitioner/prat-1'],
  _lastUpdated: ['2026', 'ge2026-11', 'lt2026-11-02T06:00+01:00', 'ne2026-11-02', 'gt2026-11-02T05:00:00.250Z', 'eb20'],
};
const SIGNS = [
  ...',|\\$*%_"\'():;-^~ ?#&=+<>{}[]',
  '\\,',
  '\\|',
  '\\$',
  '\\\\',
  '\u0000',
  '\u0001',
  '\r\n',
  '\u{10ffff}',
  '\u200b',
];
const ATTACKS = [
  "' OR '1'='1",
  "'; drop table practitioner; --",
  'zim" OR "duval',
  'name:zim NEAR(paul, 3)',
  '%',
  '_____',
  '*',
  '__proto__',
  'constructor',
  '../../etc/passwd',
  '%00',
  '<script>',
  '#{7*7}',
  '🏥'.repeat(20),
  'a'.repeat(300),
  'a '.repeat(40),
  '1,'.repeat(120),
];
const MODIFIERS = [
  'exact',
  'contains',
  'missing',
  'not',
  'text',
  'in',
  'above',
  'Practitioner',
  'Organization',
  'xyz',
  '',
];
const PARSERS: Record<string, readonly string[]> = {
  _count: ['0', '1', '3', '10', '-1', '1e3', '9999999999999999999'],
  _summary: ['true', 'false', 'text', 'data', 'count', 'maybe'],
  _elements: ['id', 'name', 'name,identifier', 'nothing', ',', 'name.family'],
  _sort: [
    'near',
    '-near',
    ...['name', '-name', 'family', '_lastUpdated', '-_lastUpdated', 'name,-_lastUpdated', 'bogus', '-'],
    ...['given', '-given', 'address-city', '-address-city', 'practitioner', '-organization', 'organization'],
  ],
  _total: ['none', 'accurate', 'estimate', 'some'],
  _format: ['json', 'application/fhir+json', 'xml', 'application/fhir xml', 'turtle'],
  _pretty: ['true', 'false', '1'],
  _include: [
    'PractitionerRole:practitioner',
    'PractitionerRole:organization',
    'Organization:partof',
    '*',
    'Patient:x',
    ':',
  ],
  _revinclude: ['PractitionerRole:practitioner', 'PractitionerRole:organization', 'Organization:part-of', 'x'],
  _page: ['x', '', 'AAAA', Buffer.from('one 1 2 3 abcdefghij').toString('base64url')],
  nom: ['duval'],
  toString: ['x'],
};

const bytes = fc.uint8Array({ maxLength: 20 }).map((sent) => Buffer.from(sent).toString('hex').replace(/../g, '%$&'));
const encoded = (value: string) => encodeURIComponent(value.toWellFormed());

function valueFor(name: string): fc.Arbitrary<string> {
  const known = fc.constantFrom(...(VOCABULARY[name] ?? NAMES));
  const joined = (separator: string) =>
    fc.array(known, { minLength: 1, maxLength: 3 }).map((some) => some.join(separator));
  const hostile = fc.array(fc.oneof(known, fc.constantFrom(...SIGNS)), { minLength: 1, maxLength: 4 });
  return fc.oneof(
    { weight: 4, arbitrary: known },
    { weight: 4, arbitrary: joined(',') },
    { weight: 4, arbitrary: joined(' ') },
    { weight: 4, arbitrary: hostile.map((parts) => parts.join('')) },
    { weight: 1, arbitrary: fc.constantFrom(...ATTACKS) },
    { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 12 }) },
  );
}

interface Part {
  text: string;
  plain?: readonly [string, string];
}

function partsFor(names: readonly string[]): fc.Arbitrary<Part> {
  const criterion = fc.constantFrom(...names).chain((name) => valueFor(name).map((value) => ({ name, value })));
  const plain = criterion.map(({ name, value }) => ({
    text: `${name}=${encoded(value)}`,
    plain: [name, value.toWellFormed()] as const,
  }));
  const modified = fc
    .tuple(criterion, fc.constantFrom(...MODIFIERS), fc.constantFrom(':', '%3A'))
    .map(([{ name, value }, modifier, colon]) => ({ text: `${name}${colon}${modifier}=${encoded(value)}` }));
  const control = fc
    .constantFrom(...Object.keys(PARSERS))
    .chain((name) =>
      fc.constantFrom(...(PARSERS[name] as string[])).map((value) => ({ text: `${name}=${encoded(value)}` })),
    );
  const raw = fc
    .tuple(fc.constantFrom(...names, ...Object.keys(PARSERS), '', 'x'), fc.constantFrom('=', '', '==', '%3D'), bytes)
    .map((parts) => ({ text: parts.join('') }));
  return fc.oneof(
    { weight: 18, arbitrary: plain },
    { weight: 3, arbitrary: modified },
    { weight: 3, arbitrary: control },
    { weight: 2, arbitrary: raw },
  );
}

/** A criterion on linked resources: well formed, of a type that the chain does not lead to, or of two levels. */
function chainFor(type: ResourceType): fc.Arbitrary<Part> {
  const chains = chainsOf(type).flatMap((chain) =>
    linkedTable(chain).parameters.map(({ name }) => ({ name, prefix: chain.prefix })),
  );
  return fc
    .tuple(fc.constantFrom(...chains), fc.nat({ max: 19 }), fc.constantFrom(...MODIFIERS))
    .chain(([{ name, prefix }, dice, modifier]) => {
      const types = ['Practitioner', 'Organization'].map((target) => prefix.replace(/\.$/, `:${target}.`));
      const start = [...types, `${prefix}_has:`, `${prefix}${prefix}`, `_has:${prefix}`][dice] ?? prefix;
      const end = dice > 15 ? `:${modifier}` : '';
      return valueFor(name).map((value) => ({ text: `${start}${name}${end}=${encoded(value)}` }));
    });
}

/** Neither of them changes what is found. */
const COUNTS = ['_count=1', '_count=3', '_count=10'];

/** One search. Pages are mostly small, so that more of them are asked. */
export const fuzzQueries: fc.Arbitrary<FuzzQuery> = fc
  .oneof(
    ...TABLES.map(({ type, parameters }) =>
      fc.tuple(
        fc.constant(type),
        fc.array(fc.oneof({ weight: 4, arbitrary: partsFor(parameters.map(({ name }) => name)) }, chainFor(type)), {
          minLength: 1,
          maxLength: 3,
        }),
        fc.constantFrom(...COUNTS),
        fc.nat({ max: 15 }),
      ),
    ),
  )
  .map(([type, parts, count, dice]) => {
    const plain = parts.flatMap((part) => (part.plain ? [part.plain] : []));
    const query = [
      ...parts.map(({ text }) => text),
      ...(parts.some(({ text }) => text.startsWith('_count')) ? [] : [count]),
    ];
    return {
      type,
      query: query.join('&'),
      ...(plain.length === parts.length && dice > 0 ? { plain } : {}),
      post: dice % 8 === 1,
      lenient: dice === 0,
    };
  });
