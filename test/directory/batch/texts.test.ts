// SEC-82: what each refused batch and entry is told, word for word; where an entry leads; and how the answers are written.

import { describe, expect, it } from '@jest/globals';
import { type BatchRoutes, batchResponse, entryText, parseEntry, routeEntry } from '#directory/batch/entries.ts';
import { batchOf } from '#support/directory/batching.ts';
import { behindPublicBase, PUBLIC_BASE } from '#support/directory/set-up.ts';
import { thrownBy } from '#support/directory/thrown.ts';
import { withOwnSnapshots } from '#support/jest/own-snapshots.ts';

function refusalOf(call: () => unknown) {
  const error = thrownBy(call);
  return error && [error.status, error.issues[0]?.code, error.issues[0]?.diagnostics].join(' ');
}
const parse = (request: unknown) => parseEntry({ request }, PUBLIC_BASE);
const get = (url: string, more: object = {}) => parse({ method: 'GET', url, ...more });

describe('SEC-82 an entry of a batch', () => {
  withOwnSnapshots(import.meta.filename);

  it('is refused', () => {
    const request = (url: unknown, more: object = {}) => ({ request: { method: 'GET', url, ...more } });
    const refused: unknown[] = [
      ...[null, [], 'x', {}, { request: [] }, { request: {} }, { request: { method: 'GET' } }],
      ...[
        request('x', { method: 1 }),
        request(['x']),
        request('x', { method: 'POST' }),
        request('x', { method: 'get' }),
      ],
      ...[request('https://x.example/a'), request('//x.example/a'), request(`${PUBLIC_BASE}x/a`)],
      ...[request(`P?${'é'.repeat(2047)}`), request(`P?a${'&a'.repeat(64)}`)],
      ...[request('x', { ifModifiedSince: 'yesterday' }), request('x', { ifNoneMatch: 1 })],
    ];
    expect(refused.map((entry) => refusalOf(() => parseEntry(entry, PUBLIC_BASE))).join('\n')).toMatchSnapshot();
  });

  it.each([
    ['Practitioner/1', '/Practitioner/1'],
    ['/Practitioner/1', '/Practitioner/1'],
    ['', '/'],
    ['?name=x', '/?name=x'],
    [PUBLIC_BASE, '/'],
    [`${PUBLIC_BASE}/metadata`, '/metadata'],
    [`${PUBLIC_BASE}?x`, '/?x'],
    ['Practitioner?name=é', `/Practitioner?name=${Buffer.from('é').toString('latin1')}`],
    [`P?${'a'.repeat(4093)}`, `/P?${'a'.repeat(4093)}`],
    [`P?a${'&a'.repeat(63)}`, `/P?a${'&a'.repeat(63)}`],
  ])('%j leads to %j', (url, path) => {
    expect(get(url).url).toBe(path);
  });

  const version = { etag: 'W/"3"', lastUpdated: '2026-11-02T05:00:00.250Z', location: 'x' };
  it.each<[object, boolean]>([
    [{}, false],
    [{ ifNoneMatch: 'W/"3"' }, true],
    [{ ifNoneMatch: '"3"' }, true],
    [{ ifNoneMatch: '"2" , W/"3"' }, true],
    [{ ifNoneMatch: '"2", *' }, true],
    [{ ifNoneMatch: '"2"' }, false],
    [{ ifNoneMatch: '"2"', ifModifiedSince: '2026-11-02T05:00:00Z' }, false],
    [{ ifModifiedSince: '2026-11-02T05:00:00Z' }, true],
    [{ ifModifiedSince: '2026-11-02T06:00:00+01:00' }, true],
    [{ ifModifiedSince: '2026-11-02T04:59:59Z' }, false],
  ])('with %j the client has the version: %j', (more, known) => {
    expect(get('Practitioner/1', more).isKnown(version)).toBe(known);
    expect(get('Practitioner/1', more).isKnown(undefined)).toBe(false);
  });
});

describe('SEC-82 where an entry leads', () => {
  const named = (name: string) => Object.assign(async () => ({}) as never, { label: name });
  const check = () => {};
  const routes: BatchRoutes = {
    base: PUBLIC_BASE,
    metadata: named('metadata'),
    history: named('history'),
    searchOfAllTypes: named('all'),
    types: [{ type: 'Practitioner', check, search: named('search'), read: named('read') }],
    unknownAddress: (path) => new Error(`unknown ${path}`),
  };
  const id = (text: string, more: object = {}) => ({ id: text, ...more });
  it.each<[url: string, to: string, params?: object, checked?: boolean]>([
    ['/', 'metadata'],
    ['/metadata', 'metadata'],
    ['/metadata?_format=xml', 'metadata'],
    ['/?name=x', 'all'],
    ['/_search', 'all'],
    ['/_search?name=x', 'all'],
    ['/_history', 'history'],
    ['/Practitioner', 'search', {}, true],
    ['/Practitioner/', 'search', {}, true],
    ['/Practitioner?name=x/y', 'search', {}, true],
    ['/Practitioner/_search?name=x', 'search', {}, true],
    ['/Practitioner/_history', 'history'],
    ['/Practitioner/1/_history', 'history'],
    ['/Practitioner/1', 'read', id('1'), true],
    ['/Practitioner/a%2Fb', 'read', id('a/b'), true],
    ['/Practitioner/1/', 'read', id('1'), true],
    ['/Practitioner/1/_history/2', 'read', id('1', { vid: '2' }), true],
  ])('%s is %s', (url, to, params = {}, checked = false) => {
    const found = routeEntry(routes, url);
    expect([(found.interaction as unknown as { label: string }).label, found.url, found.params]).toEqual([
      to,
      url,
      params,
    ]);
    expect(found.check).toBe(checked ? check : undefined);
  });

  const OPERATION =
    '400 not-supported A batch takes reads and searches: ask for an operation, such as $export, by itself.';
  it.each([
    ['/$export', OPERATION],
    ['/Practitioner/$export', OPERATION],
    ['/%24export', OPERATION],
    ['/Practitioner/%zz', '400 structure The url of the entry is malformed: check its percent-encoding.'],
  ])('%s is refused', (url, refusal) => {
    expect(refusalOf(() => routeEntry(routes, url))).toBe(refusal);
  });

  it.each(['/Patient', '/Practitioner/1/name', '/Practitioner/1/_history/2/x', '/practitioner'])(
    '%s is unknown',
    (url) => {
      expect(() => routeEntry(routes, url)).toThrow(`unknown ${url}`);
    },
  );
});

describe('fhir-stu3 batch: the answers', () => {
  const read = {
    status: 200,
    response: {
      json: '{"resourceType":"Organization","id":"o","name":"N","alias":["A"]}',
      representation: { format: 'xml', pretty: true } as const,
      version: { etag: 'W/"1"', lastUpdated: '2026-11-02T05:00:00.250Z', location: 'x' },
    },
  };
  const refused = { status: 404, outcome: '{"resourceType":"OperationOutcome","issue":[]}' };
  const entries = [
    {
      resource: { resourceType: 'Organization', id: 'o', name: 'N', alias: ['A'] },
      response: { status: '200 OK', etag: 'W/"1"', lastModified: '2026-11-02T05:00:00.250Z' },
    },
    { response: { status: '304 Not Modified', etag: 'W/"1"', lastModified: '2026-11-02T05:00:00.250Z' } },
    { response: { status: '404 Not Found', outcome: { resourceType: 'OperationOutcome', issue: [] } } },
  ];
  const whole = { resourceType: 'Bundle', type: 'batch-response', entry: entries };
  const answers = [read, { ...read, status: 304 }, refused];

  it.each([false, true])('are JSON as if they were written together (indented: %j)', (pretty) => {
    const form = { format: 'json', pretty } as const;
    const text = batchResponse(
      answers.map((one) => entryText(one, form)),
      form,
    );
    expect(text).toBe(JSON.stringify(whole, null, pretty ? 2 : undefined));
    const { entry: _, ...empty } = whole;
    expect(batchResponse([], form)).toBe(JSON.stringify(empty, null, pretty ? 2 : undefined));
  });

  it('are XML', () => {
    const form = { format: 'xml', pretty: false } as const;
    const xml =
      '<response><status value="200 OK"/><etag value="W/&quot;1&quot;"/><lastModified value="2026-11-02T05:00:00.250Z"/></response>';
    expect(batchResponse([entryText(read, form)], form)).toBe(
      `<?xml version="1.0" encoding="UTF-8"?><Bundle xmlns="http://hl7.org/fhir"><type value="batch-response"/><entry><resource><Organization><id value="o"/><name value="N"/><alias value="A"/></Organization></resource>${xml}</entry></Bundle>`,
    );
  });
});

describe('SEC-82 the text of a refused batch', () => {
  withOwnSnapshots(import.meta.filename);

  const { agent } = behindPublicBase();
  const TYPE = 'application/fhir+json';
  it('says what is taken', async () => {
    const told: string[] = [];
    for (const [path, type, body] of [
      ['/', TYPE, '{'],
      ['/', TYPE, '{"resourceType":"Bundle","type":"collection"}'],
      ['/', TYPE, '{"resourceType":"Bundle","type":"batch","entry":{}}'],
      ['/', TYPE, '{"resourceType":"Basic","type":"transaction"}'],
      ['/', TYPE, '{"resourceType":"Bundle","type":"transaction"}'],
      ['/', TYPE, JSON.stringify(batchOf(...Array<string>(51).fill('metadata')))],
      ['/', 'text/plain', '{}'],
      ['/?_count=1', TYPE, '{}'],
    ] as const) {
      const answer = await agent().post(path).set('Content-Type', type).send(body);
      const { code, diagnostics } = answer.body.issue[0];
      told.push([answer.status, code, diagnostics].join(' '));
    }
    expect(told.join('\n')).toMatchSnapshot();
  });
});
