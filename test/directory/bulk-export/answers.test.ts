// FHIR Bulk Data Access over HTTP, each answer whole: manifest, status, files with their headers and ranges, and every refusal with its remedy.

import { describe, expect, it } from '@jest/globals';
import { edition } from '#support/directory/edition.ts';
import { ask, type Manifest } from '#support/directory/exporting.ts';
import { SCANNED_AT, scanSnapshot } from '#support/directory/scan-snapshot.ts';
import { startDirectory } from '#support/directory/service.ts';
import { openedForAll } from '#support/opened.ts';

const ALL = edition();
const numberOf = (type: string) => ALL.filter((one) => one.type === type).length;
const [PEOPLE, STRUCTURES, ROLES] = ['Practitioner', 'Organization', 'PractitionerRole'].map(numberOf) as [
  number,
  number,
  number,
];
const plain = { 'accept-encoding': 'identity' };

describe('answers of an export', () => {
  const snapshot = scanSnapshot('one', ALL);
  const directory = openedForAll(() =>
    startDirectory(
      {
        current: () => snapshot,
        byId: async (id) => (id === 'one' ? snapshot : undefined),
        overtaken: async () => true,
      },
      { exports: { resources: 100 } },
    ),
  );
  const base = () => directory.address;
  const file = (type: string, from: number, to: number) => ({
    type,
    url: `${base()}/$export/one/${type}-${String(from).padStart(7, '0')}-${String(to).padStart(7, '0')}.ndjson`,
    count: to - from,
  });

  it('a manifest, by kick-off and by status, of everything and of one type', async () => {
    const [answer, status] = [await ask(`${base()}/$export`), await ask(`${base()}/$export/one`)];
    const text = await answer.text();
    const manifest = {
      transactionTime: SCANNED_AT,
      request: `${base()}/$export`,
      requiresAccessToken: true,
      output: [
        file('Practitioner', 0, 100),
        file('Practitioner', 100, PEOPLE),
        file('Organization', 0, STRUCTURES),
        file('PractitionerRole', 0, 100),
        file('PractitionerRole', 100, ROLES),
      ],
      error: [],
      extension: { next: `${base()}/$export?_since=${encodeURIComponent(SCANNED_AT)}` },
    };
    expect([answer.status, answer.headers.get('content-type'), text]).toEqual([
      200,
      'application/json',
      `${JSON.stringify(manifest, null, 1)}\n`,
    ]);
    expect([status.headers.get('content-type'), await status.json()]).toEqual(['application/json', manifest]);
    const ofType = (await (await ask(`${base()}/Organization/$export`)).json()) as Manifest;
    expect(ofType).toEqual({
      ...manifest,
      request: `${base()}/$export?_type=Organization`,
      output: [file('Organization', 0, STRUCTURES)],
      extension: { next: `${base()}/$export?_type=Organization&_since=${encodeURIComponent(SCANNED_AT)}` },
    });
    const since = `_since=${encodeURIComponent(SCANNED_AT)}`;
    expect(await (await ask(`${base()}/$export/one?${since}`)).json()).toEqual({
      ...manifest,
      request: `${base()}/$export?${since}`,
      output: [],
      deleted: [],
    });
  });

  it.each([
    ['respond-async', 202],
    ['return=minimal, Respond-Async', 202],
    ['respond-asynchronously', 200],
    ['xrespond-async', 200],
  ])('Prefer: %s is %i', async (prefer, status) => {
    const answer = await ask(`${base()}/$export?_type=Organization`, { headers: { prefer } });
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-location')).toBe(
      status === 202 ? `${base()}/$export/one?_type=Organization` : null,
    );
    if (status === 202) expect([answer.headers.get('content-length'), await answer.text()]).toEqual(['0', '']);
  });

  it('the end of an export, and of a file', async () => {
    for (const path of ['one', 'one/x.ndjson']) {
      const answer = await ask(`${base()}/$export/${path}`, { method: 'DELETE' });
      expect([answer.status, answer.headers.get('content-length'), await answer.text()]).toEqual([202, '0', '']);
      const put = await ask(`${base()}/$export/${path}`, { method: 'PUT' });
      expect([put.status, put.headers.get('allow')]).toEqual([405, 'GET, HEAD, DELETE, OPTIONS']);
    }
  });

  const BEYOND = (count: number, type: string) =>
    `The edition has ${count} resources of type ${type}: there is no such part of it.`;
  it.each<[path: string, status: number, code: string, text: string, token?: string]>([
    ['$export/two', 410, 'not-found', 'The edition of this export is gone: begin the export anew.'],
    [
      '$export/two/Organization-0000000-0000001.ndjson',
      410,
      'not-found',
      'The edition of this export is gone: begin the export anew.',
    ],
    ['$export/one/x.ndjson', 404, 'not-found', 'There is no such file: take addresses from the manifest of an export.'],
    ['$export/one/Organization-0000000-0000005.ndjson', 404, 'not-found', BEYOND(STRUCTURES, 'Organization')],
    ['$export/one/Organization-0000004-0000004.ndjson', 404, 'not-found', BEYOND(STRUCTURES, 'Organization')],
    ['$export/one/Organization-0000003-0000002.ndjson', 404, 'not-found', BEYOND(STRUCTURES, 'Organization')],
    [
      '$export/one/Organization-0000000-0000001.ndjson?_type=Organization',
      400,
      'not-supported',
      'A file of an export takes no parameters: take addresses from the manifest.',
    ],
    [
      '$export',
      403,
      'forbidden',
      'The access token lacks the scope ORGANIZATION_READ: ask for it by the parameter scope, at /authorize, or at /oauth/token for a token without a person. Or name with _type what may be exported with it.',
      'practitioners',
    ],
    [
      'Organization/$export',
      403,
      'forbidden',
      'The access token lacks the scope ORGANIZATION_READ: ask for it by the parameter scope, at /authorize, or at /oauth/token for a token without a person.',
      'practitioners',
    ],
    [
      `$export?_since=${new Date(Date.parse(SCANNED_AT) + 1).toISOString()}`,
      410,
      'not-found',
      'The directory went back to an edition before that time: export everything, without _since, and replace the copy.',
    ],
  ])('%s is refused with %i', async (path, status, code, text, token = 'both') => {
    const answer = await ask(`${base()}/${path}`, { token });
    const { issue } = (await answer.json()) as { issue: object[] };
    expect([answer.status, issue]).toEqual([
      status,
      [expect.objectContaining({ severity: 'error', code, diagnostics: text })],
    ]);
  });

  it('an export that is switched off, and one without an edition', async () => {
    const off = await startDirectory(snapshot, { exports: { downloads: 0 } });
    const empty = await startDirectory(undefined);
    const textOf = async (address: string) => {
      const answer = await ask(`${address}/$export`);
      const { issue } = (await answer.json()) as { issue: { diagnostics: string }[] };
      return [answer.status, issue[0]?.diagnostics];
    };
    expect([await textOf(off.address), await textOf(empty.address)]).toEqual([
      [404, 'The operator does not offer the export of the directory: search it.'],
      [503, 'No edition of the directory is in service yet: try again later.'],
    ]);
    await off.stop();
    await empty.stop();
  });

  it('a file has its type, its tag and its coding', async () => {
    const { url } = file('Organization', 0, STRUCTURES);
    const name = 'one.Organization-0000000-0000004.ndjson';
    const shown = async (headers: Record<string, string>, method = 'GET') => {
      const answer = await ask(url, { headers, method });
      const of = [
        'content-type',
        'etag',
        'content-encoding',
        'accept-ranges',
        'content-range',
        'content-length',
        'cache-control',
      ];
      return [answer.status, ...of.map((header) => answer.headers.get(header)), await answer.text()];
    };
    const [, , , , , , , , text] = await shown(plain);
    const ndjson = 'application/fhir+ndjson';
    const caching = 'private, no-cache';
    expect(await shown(plain)).toEqual([200, ndjson, `"${name}"`, null, 'bytes', null, null, caching, text]);
    expect(
      String(text)
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).id),
    ).toEqual(['org-1', 'org-3', 'org-4', 'org-2']);
    expect(await shown({ 'accept-encoding': 'gzip' })).toEqual([
      200,
      ndjson,
      `"${name}-gzip"`,
      'gzip',
      null,
      null,
      null,
      caching,
      text,
    ]);
    expect(await shown(plain, 'HEAD')).toEqual([200, ndjson, `"${name}"`, null, 'bytes', null, null, caching, '']);
    expect(await shown({ ...plain, 'if-none-match': `"${name}"` })).toEqual([
      304,
      null,
      `"${name}"`,
      null,
      'bytes',
      null,
      null,
      caching,
      '',
    ]);
    const length = Buffer.byteLength(String(text));
    expect(await shown({ range: 'bytes=3-9' })).toEqual([
      ...[206, ndjson, `"${name}"`, null, 'bytes', `bytes 3-9/${length}`, '7', caching, String(text).slice(3, 10)],
    ]);
  });
});
