// SEC-44, SEC-53: random and hostile searches over HTTP on SQLite never give a 5xx, nor anything but what the plain scan of
// the same resources gives.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { TABLES } from '../../src/directory/tables.ts';
import type { Snapshot } from '../../src/store/directory/snapshot.ts';
import { edition, FINESS, NATIONAL, PROFESSION, ROLE, RPPS } from './edition.ts';
import { ENGINES } from './engines.ts';
import { type RunningDirectory, startDirectory } from './service.ts';

let snapshots: Snapshot[];
let directories: RunningDirectory[];
beforeAll(async () => {
  snapshots = await Promise.all(ENGINES.map(({ open }) => open(edition())));
  directories = await Promise.all(snapshots.map((snapshot) => startDirectory(snapshot)));
});
afterAll(async () => {
  for (const directory of directories) await directory.stop();
  for (const snapshot of snapshots) await snapshot.close();
});

interface Answer {
  status: number;
  body: {
    resourceType: string;
    total?: number;
    entry?: { resource: { id: string } }[];
    link?: { relation: string; url: string }[];
  };
}

async function ask(directory: RunningDirectory, path: string): Promise<Answer> {
  const answer = await fetch(`${directory.address}${path}`, { headers: { Authorization: 'Bearer both' } });
  return { status: answer.status, body: (await answer.json()) as Answer['body'] };
}

function gist({ status, body }: Answer) {
  return { status, type: body.resourceType, total: body.total, ids: body.entry?.map(({ resource }) => resource.id) };
}

/** What each engine gives for the search, followed by its second page. */
async function compare(path: string): Promise<Answer> {
  const answers = await Promise.all(directories.map((directory) => ask(directory, path)));
  const pages = await Promise.all(
    answers.map(({ body }, at) => {
      const next = body.link?.find(({ relation }) => relation === 'next');
      const directory = directories[at];
      return next && directory ? ask(directory, next.url.slice(directory.base.length)) : undefined;
    }),
  );
  const [scanned, ...others] = answers.map((answer, at) => [gist(answer), pages[at] && gist(pages[at])]);
  for (const other of others) expect({ path, found: other }).toEqual({ path, found: scanned });
  return answers[0] as Answer;
}

const names = [
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
const places = [
  '7',
  '67000',
  'stras',
  'pont',
  'boulevard',
  'bd',
  'rue',
  'r',
  'faubourg',
  'fbg',
  'nancy',
  '540',
  'sa',
  'av',
];
const vocabulary: Record<string, readonly string[]> = {
  name: names,
  family: names,
  given: names,
  address: places,
  'address-city': places,
  'address-postalcode': places,
  identifier: ['10000000011', `${RPPS}|10000000029`, `${NATIONAL}|`, '|LOCAL-prat-5', `${FINESS}|`, '250000015'],
  qualification: ['10', `${PROFESSION}|21`, 'Médecin', 'sage femme', `${PROFESSION}|`],
  telecom: ['jean2@other.example', 'HELENE.duval@mail.example'],
  'part-of': ['Organization/org-1', 'org-1', 'org-4'],
  partof: ['Organization/org-1'],
  type: ['355', '500'],
  practitioner: ['prat-1', 'Practitioner/crowd-7', 'gone'],
  organization: ['Organization/org-3', 'org-1', 'org-2'],
  role: ['FON-01', `${ROLE}|FON-02`, `${ROLE}|`],
  specialty: ['SM40', '|SM40'],
  active: ['true', 'false'],
  _id: ['prat-1', 'crowd-7', 'org-1', 'prat-1-a'],
  _lastUpdated: ['2026', 'ge2026-11', 'lt2026-11-02T06:00+01:00', 'ne2026-11-02', 'gt2026-11-02T05:00:00.250Z', 'eb20'],
};
const signs = [
  ',',
  '|',
  '\\',
  '\\,',
  '\\|',
  '$',
  '*',
  '%',
  '_',
  '"',
  "'",
  '(',
  ')',
  ':',
  ';',
  '-',
  '^',
  '~',
  ' ',
  '\u0001',
  '\u{10ffff}',
];

function valuesFor(name: string): fc.Arbitrary<string> {
  const known = fc.constantFrom(...(vocabulary[name] ?? names));
  const joined = (separator: string) =>
    fc.array(known, { minLength: 1, maxLength: 3 }).map((some) => some.join(separator));
  const hostile = fc.array(fc.oneof(known, fc.constantFrom(...signs)), { minLength: 1, maxLength: 4 });
  return fc.oneof(
    { weight: 4, arbitrary: joined(',') },
    { weight: 4, arbitrary: joined(' ') },
    { weight: 3, arbitrary: hostile.map((parts) => parts.join('')) },
    { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 20 }) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }) },
  );
}

const searches = fc.constantFrom(...TABLES).chain(({ type, parameters }) => {
  const criterion = fc
    .constantFrom(...parameters.map(({ name }) => name))
    .chain((name) => fc.tuple(fc.constant(name), valuesFor(name)));
  return fc.record({
    type: fc.constant(type),
    criteria: fc.array(criterion, { minLength: 1, maxLength: 3 }),
    count: fc.constantFrom('', '1', '3', '100'),
  });
});

describe('random searches', () => {
  it('SEC-53 every engine gives what the plain scan gives, and no 5xx', async () => {
    let found = 0;
    await fc.assert(
      fc.asyncProperty(searches, async ({ type, criteria, count }) => {
        const query = new URLSearchParams([...criteria, ...(count === '' ? [] : [['_count', count]])] as [
          string,
          string,
        ][]);
        const answer = await compare(`/${type}?${query}`);
        expect(answer.status).toBeLessThan(500);
        expect(answer.body.resourceType).toBe(answer.status === 200 ? 'Bundle' : 'OperationOutcome');
        if (answer.status === 200 && answer.body.total !== 0) found++;
      }),
      { numRuns: 500 },
    );
    expect(found).toBeGreaterThan(20);
  });

  it('SEC-44 any bytes at all in the query: 200 or 4xx with a FHIR resource', async () => {
    const [directory] = directories;
    const bytes = fc
      .uint8Array({ maxLength: 40 })
      .map((sent) => Buffer.from(sent).toString('hex').replace(/../g, '%$&'));
    const queries = fc.tuple(
      fc.constantFrom('name=', 'identifier=', '', '_page=', '_count=', '_format=', '_id='),
      bytes,
    );
    await fc.assert(
      fc.asyncProperty(queries, async ([start, end]) => {
        const { status, body } = await ask(directory as RunningDirectory, `/Practitioner?${start}${end}`);
        expect(status).toBeLessThan(500);
        expect(body.resourceType).toBe(status === 200 ? 'Bundle' : 'OperationOutcome');
      }),
      { numRuns: 300 },
    );
  });
});
