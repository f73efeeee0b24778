// Small rules that many folders share, each by the values at its edge: names of people, addresses, browsers, commands, words that are near, text
// that is shown in a terminal.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { AUDIT_EVENTS } from '#shared/audit/events.ts';
import { hasPrivateMembers } from '#shared/crypto/json-web-keys.ts';
import { deviceDetail, deviceOf } from '#shared/device.ts';
import { IDENTIFIER_SYSTEMS } from '#shared/identifier-systems.ts';
import { LIMITS } from '#shared/limits-reached.ts';
import { printable, printableLines, shorten } from '#shared/log/printable.ts';
import { emailKey, isEmailAddress, nameProblem, tidyName } from '#shared/names.ts';
import { didYouMean, nearest } from '#shared/nearest.ts';
import { hygie, Refusal, shellWord } from '#shared/operator-messages.ts';
import { addressesOf, hostsOf, parseAddresses } from '#shared/postgres-url.ts';
import { hasTooManyParameters, isDeeper } from '#shared/request-bounds.ts';
import { DIRECTORY_SCOPES, SCOPES } from '#shared/scopes.ts';
import { beginsSession } from '#shared/sign-in-methods.ts';
import { definitionOf } from '#shared/stu3/elements.ts';
import { GEOLOCATION, positionsIn } from '#shared/stu3/geolocation.ts';
import { withOwnSnapshots } from '#support/jest/own-snapshots.ts';
import { rows } from '#support/rows.ts';

/** Events by which something was refused or failed. */
const FAILURES = /failed|refused|throttled|left-out|reused|given-up|audit\.(counted|dropped|cut)/;

/** Each value beside what a function makes of it. */
function table<In, Out>(made: (value: In) => Out, rows: readonly (readonly [In, Out])[]): void {
  expect(rows.map(([value]) => [value, made(value)])).toEqual(rows);
}

describe('text from outside', () => {
  it('names of people are composed and trimmed, and refused where they are empty, too long or not visible', () => {
    table(tidyName, [[' e\u0301 ', 'é']]);
    table(nameProblem, [
      ['É', undefined],
      ['9', undefined],
      ['x'.repeat(200), undefined],
      ['x'.repeat(201), 'too-long'],
      ['-', 'empty'],
      ['', 'empty'],
      ['a\u200cb', undefined],
      ['a\u200bb', 'invisible'],
      ['a\u202eb', 'invisible'],
      ['a\nb', 'invisible'],
    ]);
  });

  it('an e-mail address has one @, no blank, nothing invisible, and the lengths of RFC 5321', () => {
    table(isEmailAddress, [
      ['é@b', true],
      [`${'a'.repeat(64)}@${'b'.repeat(190)}`, true],
      [`${'a'.repeat(65)}@b`, false],
      [`a@${'b'.repeat(191)}`, false],
      ['a@b@c', false],
      ['a b@c', false],
      ['a\u200b@c', false],
      ['a@c\u202e', false],
      ['a\0@c', false],
      ['<a@b>', false],
      ['@b', false],
      ['a@', false],
    ]);
    table(emailKey, [[' A@B.Example ', 'a@b.example']]);
  });

  it('a browser and its system are named where they are known, and nothing else of the header', () => {
    const firefox = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:130.0) Gecko/20100101 Firefox/130.0';
    table(deviceOf, [
      [firefox, 'Firefox, Windows'],
      [`${firefox.slice(0, 20)}${' '.repeat(520)}${firefox.slice(20)}`, 'Windows'],
      ['curl/8', undefined],
      ['evil', undefined],
      ['', undefined],
      [undefined, undefined],
    ]);
    expect([deviceDetail({ headers: { 'user-agent': firefox } }), deviceDetail({ headers: {} })]).toEqual([
      { device: 'Firefox, Windows' },
      {},
    ]);
  });

  it('SEC-17 control characters are written out, lines stay lines, and a long text is cut between characters', () => {
    table(printable, [
      ['a\u001b[1m\u0007', 'a\\x1b[1m\\x07'],
      ['a\u2028b\u202e', 'a\\u{2028}b\\u{202e}'],
      ['é\t', 'é\\x09'],
    ]);
    table(printableLines, [['a\tb\nc\r', 'a\tb\nc\\x0d']]);
    expect([shorten('abc', 3), shorten('abcd', 3), shorten('a😀b', 2)]).toEqual(['abc', 'abc…', 'a\ufffd…']);
  });
});

describe('what operators read', () => {
  it('the nearest known word is meant, if it is near enough', () => {
    const known = ['accounts', 'audit', 'Keys'];
    table(
      (word: string) => nearest(word, known),
      [
        ['acounts', 'accounts'],
        ['KEYS', 'Keys'],
        ['kes', 'Keys'],
        ['kxx', undefined],
        ['ad', undefined],
        ['acc', undefined],
        ['accoun', 'accounts'],
        ['accou', undefined],
        ['', undefined],
      ],
    );
    expect([didYouMean('audi', known), didYouMean('zzz', known, 'No.'), didYouMean('zzz', known)]).toEqual([
      'Did you mean "audit"?',
      'No.',
      '',
    ]);
  });

  it('a command can be copied: its values are quoted for the shell', () => {
    const before = process.env['HYGIE_COMMAND'];
    process.env['HYGIE_COMMAND'] = ' docker exec x hygie ';
    try {
      expect([hygie('keys list'), hygie`a ${'b c'} ${['d', "e'f"]}`]).toEqual([
        'docker exec x hygie keys list',
        "docker exec x hygie a 'b c' d 'e'\\''f'",
      ]);
    } finally {
      if (before === undefined) delete process.env['HYGIE_COMMAND'];
      else process.env['HYGIE_COMMAND'] = before;
    }
    table(shellWord, [
      ['a-b_c/d.e:f,g=h@i%j+k', 'a-b_c/d.e:f,g=h@i%j+k'],
      ['', "''"],
      ['$a', "'$a'"],
    ]);
  });

  it('a refusal has every reason, one on each line', () => {
    expect(
      [new Refusal(['a', 'b']), new Refusal('c')].map(({ name, message, reasons }) => [name, message, reasons]),
    ).toEqual([
      ['Refusal', 'a\nb', ['a', 'b']],
      ['Refusal', 'c', ['c']],
    ]);
  });

  it('SEC-48 events of the audit trail and limits are those that the handbook explains', () => {
    const read = (file: string) => readFileSync(join(import.meta.dirname, '../..', file), 'utf8');
    const [trail, handbook] = [read('docs/operating/audit-trail.md'), read('docs/operating/monitoring.md')];
    for (const [event, [outcome, meaning]] of Object.entries(AUDIT_EVENTS)) {
      expect(trail).toContain(`- \`${event}\`: ${meaning}\n`);
      expect([event, outcome]).toEqual([event, FAILURES.test(event) ? 'failure' : 'success']);
    }
    const rows = handbook.replace(/ +/g, ' ');
    for (const [limit, meaning] of Object.entries(LIMITS)) expect(rows).toContain(`| \`${limit}\` | ${meaning} |`);
  });

  it('SEC-16 the address of a database shows its hosts, and never the password', () => {
    table(addressesOf, [
      ['postgres://u:p@h1:5432,h2/db?a=b', ['postgres://u:p@h1:5432/db?a=b', 'postgres://u:p@h2/db?a=b']],
      ['postgresql://h/db', ['postgresql://h/db']],
      ['nonsense', ['nonsense']],
    ] as const);
    const shown = (url: string) => {
      const parsed = parseAddresses(url);
      return parsed && hostsOf(parsed);
    };
    table(shown, [
      ['postgres://u:p@h1:5432,h2/db', 'h1:5432,h2'],
      ['postgres://u:p@/db?host=/run', 'localhost'],
      ['postgres://h/a b', undefined],
      ['mysql://h/db', undefined],
      ['postgres://h:x/db', undefined],
    ]);
  });
});

describe('shapes', () => {
  withOwnSnapshots(import.meta.filename);
  it('the depth of a JSON value counts objects and arrays', () => {
    table(
      (levels: number) => isDeeper({ a: [{ b: 1 }] }, levels),
      [
        [2, true],
        [3, false],
      ],
    );
    expect([isDeeper(null, 0), isDeeper('x', 0), isDeeper({}, 0)]).toEqual([false, false, true]);
  });

  it('SEC-44 a query has 64 parameters at most', () => {
    table(hasTooManyParameters, [
      [Array(64).fill('a').join('&'), false],
      [Array(65).fill('a').join('&'), true],
      ['', false],
    ]);
  });

  it('SEC-50 any private member of a key is recognised', () => {
    table(hasPrivateMembers, [
      [{ kty: 'EC', x: '', y: '' }, false],
      ...['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k', 'priv'].map((name) => [{ [name]: '' }, true] as const),
    ] as (readonly [object, boolean])[]);
  });

  it('a code alone begins no session', () => {
    expect([
      beginsSession([]),
      beginsSession(['otp']),
      beginsSession(['otp', 'password']),
      beginsSession(['passkey']),
    ]).toEqual([false, false, true, true]);
  });

  it('positions are those of HL7’s extension that lie on the earth, to six decimals', () => {
    const at = (latitude?: number, longitude?: number, url = GEOLOCATION) => ({
      extension: [
        {
          url,
          extension: [
            { url: 'longitude', ...(longitude !== undefined && { valueDecimal: longitude }) },
            { url: 'latitude', ...(latitude !== undefined && { valueDecimal: latitude }) },
          ],
        },
      ],
    });
    expect(
      positionsIn([at(45.76406549, 4.8), at(90, -180), at(90.1, 0), at(0, 180.1), at(1), at(1, 1, 'x'), {}]),
    ).toEqual([
      { latitude: 45.764065, longitude: 4.8 },
      { latitude: 90, longitude: -180 },
    ]);
    expect(positionsIn()).toEqual([]);
  });

  it('identifiers are of the systems that the registers are known by', () => {
    expect(IDENTIFIER_SYSTEMS).toEqual({
      nationalPerson: 'urn:oid:1.2.250.1.71.4.2.1',
      rpps: 'https://rpps.esante.gouv.fr',
      nationalStructure: 'urn:oid:1.2.250.1.71.4.2.2',
      finess: 'https://finess.esante.gouv.fr',
      sirene: 'https://sirene.fr',
    });
  });

  it('the scopes are those of the specification', () => {
    const reading = ['PRACTITIONER_READ', 'ORGANIZATION_READ'];
    expect([DIRECTORY_SCOPES, SCOPES]).toEqual([
      reading,
      ['openid', 'offline_access', 'email', 'profile', 'fhirUser', ...reading],
    ]);
  });

  it('FHIR STU3: the elements of a type are those of HL7’s definition, in its order', () => {
    const of = (type: string, name: string) => definitionOf(type)?.elements.get(name);
    expect(definitionOf('Nothing')).toBeUndefined();
    const elements = [
      definitionOf('Extension')?.attributes,
      definitionOf('Bundle.link'),
      of('Bundle.entry', 'resource'),
      of('Narrative', 'div'),
      of('Practitioner', 'qualification'),
      of('Extension', 'valueCodeableConcept'),
      of('Practitioner', 'name'),
      [...(definitionOf('Practitioner')?.elements.keys() ?? [])],
    ];
    expect(rows(elements)).toMatchSnapshot();
  });
});
