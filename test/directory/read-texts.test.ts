// What a read that is refused is told, word for word; which snapshot a request reads; and how the text of a request is shown.

import { describe, expect, it } from '@jest/globals';
import { FhirError, shownName } from '#directory/errors.ts';
import type { DirectoryRequest } from '#directory/middleware/interaction.ts';
import { history, read } from '#directory/read.ts';
import { criterionOf } from '#directory/requested-representation.ts';
import { resolveSnapshot, stateOf } from '#directory/resolve-snapshot.ts';
import type { ParameterTable } from '#directory/resources/parameters.ts';
import { PRACTITIONER } from '#directory/resources/practitioner.ts';
import { PRACTITIONER_ROLE } from '#directory/resources/practitioner-role.ts';
import { CODE_SYSTEM, SEARCH_PARAMETER } from '#directory/resources/resource-types.ts';
import type { Snapshot } from '#search-index/index.ts';
import { edition } from '#support/directory/edition.ts';
import { SCANNED_AT, scanSnapshot } from '#support/directory/scan-snapshot.ts';
import { withOwnSnapshots } from '#support/jest/own-snapshots.ts';

const base = 'https://connect.example/directory/v2';
const whole = scanSnapshot('one', edition());
const gone = { id: 'prat-0', goneSince: '2026-11-01T05:00:00Z' };
const snapshot: Snapshot = { ...whole, gone: async (_type, id) => (id === gone.id ? gone : undefined) };
const snapshots = { current: () => snapshot, byId: async (id: string) => (id === 'old' ? whole : undefined) };
const shown = ({ status, issues: [issue], headers }: FhirError) =>
  [status, issue?.code, issue?.location ?? '-', issue?.diagnostics, ...Object.values(headers)].join(' ');
const refusalOf = async (call: () => unknown) => {
  try {
    await call();
  } catch (error) {
    if (error instanceof FhirError) return shown(error);
    throw error;
  }
  return undefined;
};
const reading = (table: ParameterTable, params: object, { query = '', prefer = '', accept = '*/*' } = {}) => {
  const request = { url: `/x${query}`, params, headers: { accept, ...(prefer && { prefer }) } };
  return read(table, { base, snapshots })(request as unknown as DirectoryRequest);
};

describe('a read that is refused', () => {
  withOwnSnapshots(import.meta.filename);

  it('is told why', async () => {
    const refused: Parameters<typeof reading>[] = [
      [PRACTITIONER, { id: 'x' }],
      [PRACTITIONER_ROLE, { id: 'y'.repeat(70) }],
      [SEARCH_PARAMETER, { id: 'x' }],
      [CODE_SYSTEM, { id: 'x' }],
      [CODE_SYSTEM, { id: '$lookup' }, { query: '?code=SM04' }],
      [PRACTITIONER, { id: 'prat-0' }],
      [PRACTITIONER, { id: 'prat-1', vid: '2' }],
      [PRACTITIONER, { id: 'prat-1' }, { query: '?_pretty=true&name=x' }],
      [PRACTITIONER, { id: 'prat-1' }, { query: '?_summary=count', prefer: 'handling=lenient' }],
    ];
    const told: unknown[] = [];
    for (const asked of refused) told.push(await refusalOf(() => reading(...asked)));
    expect(told.join('\n')).toMatchSnapshot();
  });

  it('a history is refused with another way', async () => {
    expect(await refusalOf(() => history({} as never))).toBe(
      '404 not-found - Only current versions are kept: history is not supported. Search by _lastUpdated for what changed since a time.',
    );
  });

  it.each([
    ['', 'W/"1"', { format: 'json', pretty: false }],
    [
      '?_elements=name,id',
      'W/"1+elements+name+id"',
      { format: 'json', pretty: false, subset: { elements: ['name', 'id'] } },
    ],
    ['?_summary=text&_format=xml', 'W/"1+summary+text"', { format: 'xml', pretty: false, subset: { summary: 'text' } }],
    ['?foo=1&_pretty=true', 'W/"1"', { format: 'json', pretty: true }],
  ])('one that is answered has version and form: %s', async (query, etag, representation) => {
    const { json, ...others } = await reading(
      PRACTITIONER,
      { id: 'prat-1', vid: '1' },
      { query, prefer: 'handling=lenient' },
    );
    expect(JSON.parse(json).id).toBe('prat-1');
    const location = `${base}/Practitioner/prat-1/_history/1`;
    expect(others).toEqual({ representation, version: { etag, lastUpdated: SCANNED_AT, location } });
  });

  it('what asks for more than a form is named', () => {
    const first = (query: string) => criterionOf({ url: `/x?${query}` });
    expect([first('_format=a&_pretty=b&_summary=c&_elements=d'), first('_format=a&_count=1&name=x')]).toEqual([
      undefined,
      '_count',
    ]);
  });
});

describe('the snapshot that a request reads', () => {
  it('is the current one, or the one of its page while that is kept', async () => {
    expect(await resolveSnapshot(snapshots)).toBe(snapshot);
    expect([await resolveSnapshot(snapshots, 'one'), await resolveSnapshot(snapshots, 'old')]).toEqual([
      snapshot,
      whole,
    ]);
    const page =
      '410 not-found http._page The edition of the directory that this page belongs to is gone: search anew.';
    expect(await refusalOf(() => resolveSnapshot(snapshots, 'older'))).toBe(page);
    const empty = { current: () => undefined, byId: async () => undefined };
    expect(await refusalOf(() => resolveSnapshot(empty))).toBe(
      '503 transient - No edition of the directory is in service yet: try again later. 30',
    );
    expect(await refusalOf(() => resolveSnapshot(empty, 'one'))).toBe(page);
    expect([stateOf({ id: 'a' }), stateOf({ id: 'a', state: 'a~1' })]).toEqual(['a', 'a~1']);
  });
});

it('shows text of a request without control characters, and 60 characters of it', () => {
  expect([shownName('a\nb'), shownName('x'.repeat(60)), shownName('x'.repeat(61))]).toEqual([
    ...['a\\x0ab', 'x'.repeat(60), `${'x'.repeat(60)}...`],
  ]);
});
