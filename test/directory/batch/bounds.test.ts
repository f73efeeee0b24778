// SEC-82: what a batch may cost and reach. Each entry is held to the bounds of a request by itself.

import { describe, expect, it } from '@jest/globals';
import { LIMITS } from '#directory/limits.ts';
import type { RateRules } from '#directory/middleware/limit-requests.ts';
import type { IndexedResource, Snapshot } from '#search-index/snapshot.ts';
import { type BatchEntry, batched, batchOf, messageOf, statusesOf } from '#support/directory/batching.ts';
import { edition } from '#support/directory/edition.ts';
import { refusalOf } from '#support/directory/reading.ts';
import { scanSnapshot } from '#support/directory/scan-snapshot.ts';
import { type RunningDirectory, startDirectory } from '#support/directory/service.ts';
import { behindPublicBase, PUBLIC_BASE } from '#support/directory/set-up.ts';
import { until } from '#support/until.ts';

const { agent } = behindPublicBase();
const JSON_TYPE = 'application/fhir+json';

const send = (body: string | object, type = JSON_TYPE) =>
  agent()
    .post('/')
    .set('Content-Type', type)
    .send(typeof body === 'string' ? body : JSON.stringify(body));
const entriesFor = async (...urls: string[]) => {
  const { body } = await send(batchOf(...urls));
  return (body as { entry: BatchEntry[] }).entry;
};

describe('SEC-82 the body of a batch', () => {
  it.each<[what: string, body: string | object, status: number, code: string, text: RegExp]>([
    ['null', 'null', 400, 'structure', /Bundle of type batch/],
    ['a number', '1e999', 400, 'structure', /Bundle of type batch/],
    ['nothing', '', 400, 'structure', /no JSON/],
    ['deep nesting', '['.repeat(200_000), 400, 'structure', /no JSON/],
    ['whole deep nesting', `${'['.repeat(100_000)}${']'.repeat(100_000)}`, 400, 'structure', /Bundle/],
    ['more bytes than are read', ' '.repeat(LIMITS.batchBytes + 1), 413, 'too-long', /too large/],
  ])('SEC-82 %s', async (_what, body, status, code, text) => {
    const answer = await send(body);
    expect([answer.status, answer.body.issue?.[0]?.code]).toEqual([status, code]);
    expect(answer.body.issue[0].diagnostics).toMatch(text);
  });

  it('SEC-82 bytes that are not UTF-8', async () => {
    const body = Buffer.from(JSON.stringify(batchOf('Practitioner?name=hélène')), 'latin1').toString('latin1');
    const request = agent().post('/').set('Content-Type', JSON_TYPE);
    request.write(Buffer.from(body, 'latin1'), 'latin1' as never);
    expect((await request).status).toBe(400);
  });

  it.each([
    ['application/fhir+json', 200],
    ['application/json;charset=utf-8', 200],
    ['application/fhir+json; fhirVersion=3.0; charset="UTF-8"', 200],
    ['text/json', 200],
    ['application/json+fhir', 200],
    ['APPLICATION/FHIR+JSON ; charset=utf8', 200],
    ['application/fhir+json; charset=iso-8859-1', 415],
    ['application/fhir+jsonx', 415],
    ['text/plain', 415],
    ['application/x-www-form-urlencoded', 415],
    ['application/fhir+xml', 415],
  ])('content type %s gives %i', async (type, status) => {
    const answer = await send(batchOf('metadata'), type);
    expect(answer.status).toBe(status);
    if (status === 415) expect(answer.body.issue[0].diagnostics).toMatch(/XML is not read here: send JSON/);
  });

  it('a compressed body is 415, and one without a type too', async () => {
    expect((await send(batchOf('metadata')).set('Content-Encoding', 'gzip')).status).toBe(415);
    expect((await agent().post('/')).status).toBe(415);
  });

  it('parameters belong into the entries', async () => {
    const wrong = await agent().post('/?_count=2').set('Content-Type', JSON_TYPE).send(JSON.stringify(batchOf()));
    expect([wrong.status, wrong.body.issue[0].location]).toEqual([400, ['http._count']]);
    const lenient = agent().post('/?_count=2').set('Content-Type', JSON_TYPE).set('Prefer', 'handling=lenient');
    expect((await lenient.send(JSON.stringify(batchOf()))).status).toBe(200);
  });
});

describe('SEC-82 what an entry reaches', () => {
  it.each<[url: string, status: string]>([
    ['https://other.example/directory/v2/Practitioner/prat-1', '400 value'],
    [`${PUBLIC_BASE}.other.example/Practitioner/prat-1`, '400 value'],
    [`${PUBLIC_BASE}@other.example/Practitioner/prat-1`, '400 value'],
    ['//other.example/Practitioner/prat-1', '400 value'],
    ['file:///etc/passwd', '400 value'],
    ['Practitioner/../metadata', '404 not-found'],
    ['../../health/live', '404 not-found'],
    ['Practitioner/prat-1/../../Organization/org-1', '404 not-found'],
    ['Practitioner/..', '404 not-found'],
    ['Practitioner/%2e%2e', '404 not-found'],
    ['Practitioner/prat-1%2F..', '404 not-found'],
    ['Practitioner\\prat-1', '404 not-found'],
    ['/directory/v2/Practitioner/prat-1', '404 not-found'],
    ['constructor', '404 not-found'],
    ['__proto__/prat-1', '404 not-found'],
    ['Practitioner/__proto__', '404 not-found'],
    ['Practitioner?__proto__=x', '400 not-supported'],
    ['Practitioner?name=x\r\nX-Header: y', '400 value'],
    ['Practitioner/prat-1 HTTP/1.1', '404 not-found'],
    ['Practitioner?name=duval#&_count=0', '200'],
    ['$export', '400 not-supported'],
    ['Practitioner/$export', '400 not-supported'],
    ['%24export/x/y.ndjson', '400 not-supported'],
    ['.well-known/smart-configuration', '404 not-found'],
  ])('SEC-82 %s: %s', (url, status) => itIs(url, status));

  it.each<[what: string, status: string, url: string]>([
    ['a long id', '404 not-found', `Practitioner/${'a'.repeat(3000)}`],
    ['a longer id', '414 too-long', `Practitioner/${'a'.repeat(5000)}`],
    ['more bytes than characters', '414 too-long', `Practitioner?name=${'é'.repeat(2100)}`],
    ['many parameters', '400 too-costly', `Practitioner?${'name=ab&'.repeat(64)}`],
    ['many parameters of a description', '400 too-costly', `metadata?${'a=b&'.repeat(65)}`],
  ])('SEC-82 %s: %s', (_what, status, url) => itIs(url, status));

  async function itIs(url: string, status: string): Promise<void> {
    const [before, entry, after] = await entriesFor('Practitioner/prat-1', url, 'Organization/org-1');
    expect(statusesOf([entry as BatchEntry])).toEqual([status]);
    expect([before, after].map((one) => one?.resource?.id)).toEqual(['prat-1', 'org-1']);
    expect(messageOf(entry).length).toBeLessThan(500);
  }

  it('SEC-82 members of a prototype are no members', async () => {
    const request = '{"__proto__":{"method":"GET","url":"Practitioner/prat-1"}}';
    const polluted = `{"resourceType":"Bundle","type":"batch","__proto__":{"type":"x"},"entry":[{"request":${request}},{"__proto__":{"request":${request}}}]}`;
    expect(statusesOf((await send(polluted)).body.entry)).toEqual(['400 structure', '400 structure']);
    expect(({} as { method?: string }).method).toBeUndefined();
  });
});

const rates: RateRules = {
  ofClient: () => ({ perSecond: 1, burst: 12 }),
  ofServiceAccount: () => ({ perSecond: 1, burst: 5 }),
  addressOf: () => '192.0.2.1',
};

describe('SEC-82 what a batch costs', () => {
  it('SEC-82 each entry counts as one request, and those beyond the rate are refused alone', async () => {
    const used: string[] = [];
    const directory = await startDirectory(scanSnapshot('one', edition()), {
      rates,
      usedWithoutPerson: (client) => used.push(client),
      introspect: async (clientId) => ({
        active: true,
        clientId,
        scopes: new Set(['PRACTITIONER_READ']),
        ...(clientId !== 'machine' && { accountId: 'someone' }),
      }),
    });
    try {
      const four = ['Practitioner/prat-1', 'Patient/1', 'metadata', 'Organization/org-1'];
      const of = (token: string, ...urls: string[]) => batched(directory.client(token), ...urls);
      // A person may have half of the twelve.
      expect(statusesOf(await of('portal', ...four))).toEqual(['200', '404 not-found', '200', '403 forbidden']);
      const second = await of('portal', ...four);
      expect(statusesOf(second)).toEqual(['200', '404 not-found', '429 throttled', '429 throttled']);
      expect(messageOf(second[3])).toMatch(/try again in \d+ s/);
      const refused = await refusalOf(of('portal', ...four));
      expect(refused.status).toBe(429);
      expect(statusesOf(await of('machine', ...four, 'metadata', 'metadata'))).toEqual([
        '200',
        '404 not-found',
        '200',
        '403 forbidden',
        '200',
        '429 throttled',
      ]);
      expect(used).toEqual(Array(5).fill('machine'));
    } finally {
      await directory.stop();
    }
  });

  it('SEC-82 the response is bounded: what has no room is refused, and not looked up', async () => {
    const large = (id: string): IndexedResource => ({
      type: 'Organization',
      id,
      sortKey: id,
      resource: { resourceType: 'Organization', id, name: 'x'.repeat(LIMITS.batchResponse / 10) },
      index: { name: [id] },
    });
    const read: string[] = [];
    const snapshot = scanSnapshot('large', [large('large')]);
    const directory = await startDirectory({
      ...snapshot,
      read: async (type, id) => {
        read.push(id);
        return snapshot.read(type, id);
      },
    });
    try {
      const entries = await batched(directory.client(), ...Array(LIMITS.batchEntries).fill('Organization/large'));
      expect(statusesOf(entries)).toEqual([...Array(9).fill('200'), ...Array(41).fill('400 too-costly')]);
      expect(messageOf(entries[9])).toMatch(/no room for this entry: ask for it in another batch/);
      expect(read.length).toBeLessThanOrEqual(12);
    } finally {
      await directory.stop();
    }
  });

  it('SEC-82 few entries are answered at a time, and none after the client has left', async () => {
    const whole = scanSnapshot('slow', edition());
    const waiting: (() => void)[] = [];
    const directory = await startDirectory({
      ...whole,
      search: async (query, options) => {
        await new Promise<void>((resolve) => waiting.push(resolve));
        return whole.search(query, options);
      },
    } satisfies Snapshot);
    try {
      const client = new AbortController();
      const asked = postTo(directory, client.signal, Array(20).fill('Practitioner?name=duval'));
      const left = expect(asked).rejects.toThrow();
      await until(() => waiting.length > 0, 'the first searches');
      expect(waiting.length).toBe(4);
      client.abort();
      await left;
      await until(async () => (await connectionsOf(directory)) === 0, 'the client has left');
      for (const resolve of waiting) resolve();
      // An answer that comes later shows that the batch has gone on or not.
      expect((await fetch(`${directory.address}/metadata`)).status).toBe(200);
      expect(waiting.length).toBe(4);
      expect(directory.logged).toEqual([]);
    } finally {
      await directory.stop();
    }
  });

  it('SEC-82 few batches of a client are answered at a time, some wait, and the others are refused', async () => {
    const whole = scanSnapshot('gate', edition());
    const waiting: (() => void)[] = [];
    let open = false;
    const directory = await startDirectory(
      {
        ...whole,
        search: async (query, options) => {
          if (!open) await new Promise<void>((resolve) => waiting.push(resolve));
          return whole.search(query, options);
        },
      } satisfies Snapshot,
      {
        introspect: async (clientId) => ({ active: true, clientId, scopes: new Set(['PRACTITIONER_READ']) }),
      },
    );
    const { signal } = new AbortController();
    const batchOfOne = (token: string) => postTo(directory, signal, ['Practitioner?name=duval'], token);
    try {
      const many = Array.from({ length: LIMITS.batchesAtOnce + LIMITS.batchesWaiting + 1 }, () => batchOfOne('portal'));
      const refused = await Promise.race(many);
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '2']);
      expect(waiting.length).toBe(LIMITS.batchesAtOnce);
      const other = batchOfOne('another');
      await until(() => waiting.length > LIMITS.batchesAtOnce, 'the batch of another client');
      open = true;
      for (const resolve of waiting) resolve();
      expect((await other).status).toBe(200);
      const statuses = (await Promise.all(many)).map(({ status }) => status);
      expect(statuses.filter((status) => status === 200)).toHaveLength(LIMITS.batchesAtOnce + LIMITS.batchesWaiting);
    } finally {
      open = true;
      for (const resolve of waiting) resolve();
      await directory.stop();
    }
  });
});

function postTo({ address }: RunningDirectory, signal: AbortSignal, urls: readonly string[], token = 'both') {
  return fetch(address, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': JSON_TYPE },
    body: JSON.stringify(batchOf(...urls)),
    signal,
  });
}

function connectionsOf({ server }: RunningDirectory): Promise<number> {
  return new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
  });
}
