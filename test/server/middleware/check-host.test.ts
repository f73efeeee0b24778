// SEC-57: targets in absolute form (RFC 9112 section 3.2.2), over a raw socket. Our own authority is served as its path is,
// a foreign one is 421 at every address.

import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type RunningService, startService } from '../../support/service.ts';

let service: RunningService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

/** Status and body without what differs from request to request. */
async function get(target: string): Promise<{ status: number; body: string }> {
  const { hostname, port, host } = new URL(service.issuer);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.write(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  const answer = await text(socket);
  const [head = '', ...body] = answer.split('\r\n\r\n');
  return { status: Number(head.split(' ')[1]), body: body.join('').replace(/[\w-]{8}-\w+\b|[\w-]{20,}/g, '') };
}

const ADDRESSES = [
  '/',
  '/health/live',
  '/health/ready',
  '/assets/style.css',
  '/sign-in/unknown',
  '/account',
  '/directory/v2/metadata',
  '/directory/v2/Practitioner?name=mart',
  '/directory/v2/SearchParameter?_count=1',
  '/directory/docs',
  '/directory/openapi.json',
  '/.well-known/openid-configuration',
  '/.well-known/jwks.json',
  '/authorize?client_id=unknown',
  '/userinfo',
  '/logout',
  '/nowhere',
];

describe('a target in absolute form', () => {
  it.each(ADDRESSES)('with our authority is answered as %s', async (address) => {
    const [relative, absolute] = [await get(address), await get(service.issuer + address)];
    expect(absolute.status).toBe(relative.status);
    expect(absolute.body).toBe(relative.body);
  });

  it.each(ADDRESSES)('SEC-57 with a foreign authority is 421: %s', async (address) => {
    expect((await get(`http://evil.example${address}`)).status).toBe(421);
  });

  it('swallows no part of the path', async () => {
    const padded = `${service.issuer}/directory/v2/${'a'.repeat(service.issuer.length - 1)}/metadata`;
    expect((await get(padded)).status).toBe(404);
  });
});
