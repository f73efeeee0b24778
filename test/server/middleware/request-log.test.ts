// The line of each request in the log: also where the client goes away before it is answered, which is no fault of the service.

import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type RunningService, startService } from '#support/service.ts';
import { until } from '#support/until.ts';

let service: RunningService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const lines = () =>
  service
    .logged()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>);
const requests = (path: string) => lines().filter((line) => line['msg'] === 'request' && line['path'] === path);

/** Sends the beginning of a form, and goes away when the service has begun to read it. */
async function breakOff(path: string): Promise<void> {
  const { host, hostname, port } = new URL(service.issuer);
  const socket = connect(Number(port), hostname);
  const type = 'Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\nExpect: 100-continue';
  socket.write(`POST ${path} HTTP/1.1\r\nHost: ${host}\r\n${type}\r\n\r\nclient_id=`);
  await once(socket, 'data');
  socket.destroy();
}

describe('the request log', () => {
  it.each([
    '/authorize',
    '/logout',
    '/oauth/token',
    '/oauth/par',
    '/oauth/introspect',
    '/oauth/revoke',
    '/interaction/x/login',
    '/directory/v2/Practitioner/_search',
  ])('a request to %s that its client breaks off is one line, and no error', async (path) => {
    await breakOff(path);
    const logged = path.replace('/x/', '/…/');
    await until(() => requests(logged).length > 0, `a line of ${path}`);
    expect(requests(logged)).toEqual([expect.objectContaining({ method: 'POST', level: 'info' })]);
    expect(lines().filter(({ level }) => level === 'error' || level === 'warn')).toEqual([]);
  });

  it('such a request was never answered: 499, as nginx has it', () => {
    for (const path of ['/authorize', '/logout']) {
      expect(requests(path)).toEqual([expect.objectContaining({ status: 499, aborted: true })]);
    }
  });

  it('SEC-17 SEC-58 what a stranger writes into a path or calls a grant type is neither in the log nor in the audit trail', async () => {
    await (await fetch(`${service.issuer}/${'a'.repeat(20_000)}`)).text();
    const body = new URLSearchParams({ client_id: 'browser', grant_type: 'g'.repeat(20_000) });
    await (await fetch(`${service.issuer}/oauth/token`, { method: 'POST', body })).text();
    await (await fetch(`${service.issuer}/oauth/token/${'s3cret/'.repeat(20)}`, { method: 'POST' })).text();
    await (await fetch(`${service.issuer}/directory/v2/Practitioner/819082680976`)).text();
    for (const path of ['/…', `/oauth/token${'/…'.repeat(8)}`, '/directory/v2/Practitioner/…']) {
      expect([path, requests(path)]).toEqual([path, [expect.objectContaining({ level: 'info' })]]);
    }
    const [refused] = await service.database('audit_events').where({ event: 'token.refused' });
    expect(JSON.parse(refused?.details)).toMatchObject({ grant: 'unknown', error: 'unsupported_grant_type' });
  });

  it('has the method that was sent', async () => {
    await (await fetch(`${service.issuer}/userinfo`, { method: 'POST' })).text();
    expect(requests('/userinfo')).toEqual([expect.objectContaining({ method: 'POST', status: 401 })]);
    expect(requests('/userinfo')[0]).not.toHaveProperty('aborted');
  });
});

it('without a proxy, nobody gives a request its id', async () => {
  const given = 'a'.repeat(36);
  const { headers } = await fetch(`${service.issuer}/health/live`, { headers: { 'x-request-id': given } });
  expect(headers.get('x-request-id')).toMatch(/^[a-z\d]{8}-[a-z\d]+$/);
});
