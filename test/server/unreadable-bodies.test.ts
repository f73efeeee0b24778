// SEC-44: a body that cannot be read is the fault of its sender, at every address that takes one: 4xx, and no line in the log of errors.

import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LINK_PATH } from '#config/own-client.ts';
import { signIn } from '#support/openid/relying-party.ts';
import { type RunningService, SECRET, startService } from '#support/service.ts';

let service: RunningService;
let token: string;
beforeAll(async () => {
  service = await startService();
  token = (await signIn(service)).tokens.access_token;
});
afterAll(() => service.stop());

/** These read what is posted, whoever sends it. */
const READING = [
  ...['/authorize', '/logout', '/oauth/token', '/oauth/par', '/oauth/introspect', '/oauth/revoke', '/userinfo'],
  ...['/sign-in/unknown/login', `${LINK_PATH}/password-reset`, `${LINK_PATH}/invitation/unknown`],
  ...['/demo/backchannel-logout', '/directory/v2/Practitioner/_search'],
];
/** And these none, or a visitor's alone. */
const OTHERS = ['/logout/confirm', '/account/profile', '/demo/sign-in', '/demo/sign-out', '/health', '/'];
const FORM = 'application/x-www-form-urlencoded';
const BODIES: [string, BodyInit, Record<string, string>][] = [
  ['too large', `a=${'x'.repeat(100_000)}`, {}],
  ['of too many fields', 'a=1&'.repeat(2000), {}],
  ['in a charset that nobody knows', 'a=1', { 'content-type': `${FORM}; charset=x-odd` }],
  ['in UTF-7', 'a=1', { 'content-type': `${FORM}; charset=utf-7` }],
  ['in UTF-16', Buffer.from('a=1', 'utf16le'), { 'content-type': `${FORM}; charset=utf-16` }],
  ['of another type', '{"a":', { 'content-type': 'application/json' }],
  ['compressed, and broken', 'no gzip', { 'content-encoding': 'gzip' }],
  ['compressed, and cut off', gzipSync('a=1'.repeat(99)).subarray(0, 20), { 'content-encoding': 'gzip' }],
  ['compressed, and enormous', gzipSync(Buffer.alloc(5_000_000)), { 'content-encoding': 'gzip' }],
  ['compressed as nobody can', 'a=1', { 'content-encoding': 'x-odd' }],
];

describe('SEC-44 a body that cannot be read', () => {
  it.each(BODIES)('%s', async (_what, body, headers) => {
    const ask = async (address: string) => {
      const authorization = address.startsWith('/directory')
        ? `Bearer ${token}`
        : `Basic ${Buffer.from(`server:${SECRET}`).toString('base64')}`;
      const site = { 'sec-fetch-site': 'same-origin', origin: service.issuer };
      const { status } = await fetch(service.issuer + address, {
        method: 'POST',
        redirect: 'manual',
        headers: { authorization, 'content-type': FORM, ...site, ...headers },
        body,
      });
      return [address, status] as const;
    };
    const answers = await Promise.all([...READING, ...OTHERS].map(ask));
    expect(answers.filter(([, status]) => status >= 500)).toEqual([]);
    expect(answers.filter(([address, status]) => READING.includes(address) && status < 400)).toEqual([]);
    expect(service.logged()).not.toMatch(/"level":"(error|fatal)"|"stack"/);
  });
});
