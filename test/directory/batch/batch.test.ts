// fhir-stu3 HTTP: a batch of reads and searches (http.html#transaction), entry by entry as if each were asked for by itself.

import { describe, expect, it } from '@jest/globals';
import { LIMITS } from '#directory/limits.ts';
import { batched, batchOf, messageOf, statusesOf } from '#support/directory/batching.ts';
import { issuesOf, refusalOf } from '#support/directory/reading.ts';
import { indexedDirectory } from '#support/directory/set-up.ts';

describe('fhir-stu3 batch', () => {
  const on = indexedDirectory();
  const ask = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${on.directory.address}${path}`, { headers: { authorization: 'Bearer both', ...headers } });
  const send = (body: string, headers: Record<string, string> = {}, query = '') =>
    fetch(`${on.directory.address}${query}`, {
      method: 'POST',
      headers: { authorization: 'Bearer both', 'content-type': 'application/fhir+json', ...headers },
      body,
    });

  it('entries come in order, each as it comes by itself', async () => {
    const urls = [
      'Practitioner?name=duval',
      'Organization/org-1',
      '/Practitioner/prat-1/_history/1',
      `${on.directory.base}/PractitionerRole?practitioner=prat-1&_include=*`,
      'Practitioner/_search?name=h%C3%A9l%C3%A8ne',
      'Practitioner?name=hélène',
      'SearchParameter?code=part-of',
      'metadata',
      'Organization/?_summary=count',
    ];
    const entries = await batched(on.directory.client(), ...urls);
    const alone = await Promise.all(
      urls.map(async (url) => (await ask(`/${url.replace(`${on.directory.base}/`, '').replace(/^\//, '')}`)).json()),
    );
    expect(statusesOf(entries)).toEqual(urls.map(() => '200'));
    expect(entries.map(({ resource }) => resource)).toEqual(alone);
    expect(entries[4]?.resource?.total).toBeGreaterThan(0);
  });

  it('a read has etag and lastModified, which make a later one conditional', async () => {
    const [read] = await batched(on.directory.client(), 'Practitioner/prat-1');
    const alone = await ask('/Practitioner/prat-1');
    const { etag, lastModified = '' } = read?.response ?? {};
    expect(etag).toBe(alone.headers.get('etag'));
    expect(new Date(lastModified).toUTCString()).toBe(alone.headers.get('last-modified'));
    const request = { method: 'GET', url: 'Practitioner/prat-1' };
    const again = await batched(
      on.directory.client(),
      { ...request, ifNoneMatch: etag },
      { ...request, url: 'Practitioner/prat-1?_elements=name', ifNoneMatch: etag },
      { ...request, ifModifiedSince: 'yesterday' },
    );
    expect(statusesOf(again)).toEqual(['304', '200', '400 structure']);
    expect(again[0]).toEqual({ response: { status: '304 Not Modified', etag, lastModified } });
  });

  it('what is refused has the status and outcome that it has by itself, beside the others', async () => {
    const urls = [
      'Practitioner/nobody',
      'Practitioner?nme=duval',
      'Practitioner/prat-1?name=x',
      'Practitioner/prat-1/_history/9',
      'Practitioner/prat-1/_history',
      'Patient/1',
      'Practitioner/prat-1/name/family',
      '_search?name=x',
      '?name=x',
      '_history',
      'Practitioner?_page=x',
      'Practitioner/%zz',
      'Practitioner?name=%zz',
      'Practitioner?_format=turtle',
    ];
    const entries = await batched(on.directory.client(), 'Practitioner/prat-1', ...urls, 'Organization/org-1');
    expect(statusesOf(entries)).toContain('404 not-found');
    expect([entries[0], entries.at(-1)].map((one) => one?.response.status)).toEqual(['200 OK', '200 OK']);
    for (const [index, url] of urls.entries()) {
      const alone = await ask(`/${url}`);
      const { issue } = (await alone.json()) as { issue: object[] };
      const entry = entries[index + 1];
      expect([url, entry?.response.status.slice(0, 3)]).toEqual([url, String(alone.status)]);
      if (!url.includes('%zz')) expect(entry?.response.outcome?.issue).toEqual(issue);
      expect(entry).not.toHaveProperty('resource');
    }
  });

  it('what would write is refused, entry by entry', async () => {
    const resource = { resourceType: 'Practitioner' };
    const body = batchOf(
      { method: 'POST', url: 'Practitioner' },
      { method: 'PUT', url: 'Practitioner/prat-1' },
      { method: 'DELETE', url: 'Practitioner/prat-1' },
      { method: 'PATCH', url: 'Practitioner/prat-1' },
      { method: 'POST', url: 'Practitioner/_search?name=duval' },
      { method: 'get', url: 'Practitioner/prat-1' },
      { method: 'GET', url: 'Practitioner/prat-1' },
    );
    const answer = await send(JSON.stringify({ ...body, entry: body.entry.map((one) => ({ ...one, resource })) }));
    const { entry } = (await answer.json()) as { entry: Parameters<typeof statusesOf>[0] };
    expect(statusesOf(entry)).toEqual([...Array(6).fill('405 not-supported'), '200']);
    expect(messageOf(entry[0])).toMatch(/POST is not possible here, the directory is read-only: a batch takes GET/);
  });

  it('a page of a search in a batch has links that lead on', async () => {
    const [entry] = await batched(on.directory.client(), 'Practitioner?_count=2');
    const next = (await on.directory.client().nextPage({ bundle: entry?.resource as never })) as { total?: number };
    expect(next.total).toBe(entry?.resource?.total);
  });

  it('SEC-20 each entry takes its own scopes', async () => {
    const urls = [
      'Practitioner?name=duval',
      'Organization/org-1',
      'PractitionerRole/prat-1-a',
      'Practitioner?name=duval&_revinclude=PractitionerRole:practitioner',
      'SearchParameter?code=part-of',
    ];
    const of = async (token: string) => statusesOf(await batched(on.directory.client(token), ...urls));
    expect(await of('practitioners')).toEqual(['200', '403 forbidden', '403 forbidden', '403 forbidden', '200']);
    expect(await of('organizations')).toEqual(['403 forbidden', '200', '403 forbidden', '403 forbidden', '200']);
    expect(await of('openid')).toEqual([...Array(4).fill('403 forbidden'), '200']);
    for (const token of ['machine', 'expired', 'unknown'])
      expect((await refusalOf(batched(on.directory.client(token), 'metadata'))).status).toBe(
        token === 'machine' ? 403 : 401,
      );
  });

  it('Prefer passes to the entries', async () => {
    const body = JSON.stringify(batchOf('Practitioner?name=duval&nme=x'));
    const of = async (prefer: string) => {
      const answer = await send(body, { prefer });
      return statusesOf(((await answer.json()) as { entry: Parameters<typeof statusesOf>[0] }).entry);
    };
    expect(await of('handling=lenient')).toEqual(['200']);
    expect(await of('handling=strict')).toEqual(['400 not-supported']);
  });

  it.each(['accept', '_format'])('comes as XML by %s, whole and indented alike', async (way) => {
    const [read, search, refused] = ['Practitioner/prat-1', 'Practitioner?name=duval&_format=json', 'Patient/1'];
    const body = JSON.stringify(batchOf(read, search, refused));
    const plain = await send(
      body,
      { accept: way === 'accept' ? 'application/fhir+xml' : '*/*' },
      way === 'accept' ? '' : '/?_format=xml',
    );
    expect(plain.headers.get('content-type')).toBe('application/fhir+xml; charset=utf-8');
    const text = await plain.text();
    const alone = await (await ask('/Practitioner/prat-1?_format=xml')).text();
    expect(text).toContain(alone.slice(alone.indexOf('<id ')));
    expect(text).toMatch(/^<\?xml [^>]+><Bundle xmlns="[^"]+"><type value="batch-response"\/><entry><resource>/);
    expect(text).toMatch(/<status value="404 Not Found"\/><outcome><OperationOutcome>.*<\/entry><\/Bundle>$/);
    const pretty = await (await send(body, {}, '?_format=xml&_pretty=true')).text();
    expect(pretty).toContain('\n  <entry>\n    <resource>\n      <Practitioner>\n        <id');
    expect(pretty.replace(/\n */g, '')).toBe(text);
  });

  it('without entries, none come', async () => {
    for (const pretty of ['', '?_pretty=true'])
      for (const body of [{ resourceType: 'Bundle', type: 'batch' }, batchOf()])
        expect(await (await send(JSON.stringify(body), {}, pretty)).json()).toEqual({
          resourceType: 'Bundle',
          type: 'batch-response',
        });
  });

  it(`takes ${LIMITS.batchEntries} entries and no more`, async () => {
    const urls = Array.from({ length: LIMITS.batchEntries }, () => 'Organization/org-1');
    expect(statusesOf(await batched(on.directory.client(), ...urls))).toEqual(urls.map(() => '200'));
    const refused = await refusalOf(batched(on.directory.client(), ...urls, 'metadata'));
    expect([refused.status, issuesOf(refused)[0]?.code]).toEqual([400, 'too-costly']);
  });
});
