// SEC-33: a cookie ends after as many seconds as the service means, whatever the clock of a browser says.

import { describe, expect, it } from '@jest/globals';
import express from 'express';
import request from 'supertest';
import { cookieLifetime } from '#server/middleware/cookie-lifetime.ts';

async function sent(...cookies: string[]): Promise<string[] | undefined> {
  const app = express().use(cookieLifetime);
  app.get('/', (_req, res) => {
    if (cookies.length > 0) res.setHeader('Set-Cookie', cookies.length === 1 ? String(cookies[0]) : cookies);
    res.send('x');
  });
  const { headers } = await request(app).get('/');
  return headers['set-cookie'] as unknown as string[] | undefined;
}

const IN_AN_HOUR = new Date(Date.now() + 3_600_000).toUTCString();
const LONG_AGO = new Date(0).toUTCString();

describe('a cookie', () => {
  it('that ends at a time also ends after as many seconds', async () => {
    const [cookie = ''] = (await sent(`a=1; Path=/; Expires=${IN_AN_HOUR}; HttpOnly`)) ?? [];
    const [, seconds] = /; HttpOnly; Max-Age=(\d+)$/.exec(cookie) ?? [];
    expect(Math.abs(Number(seconds) - 3600)).toBeLessThanOrEqual(10);
  });

  it('that ends at once ends after no second', async () => {
    expect(await sent(`a=; expires=${LONG_AGO}`)).toEqual([`a=; expires=${LONG_AGO}; Max-Age=0`]);
  });

  it('with a Max-Age of its own, or of a session, stays as it is, among others too', async () => {
    const own = `a=1; Max-Age=5; Expires=${IN_AN_HOUR}`;
    expect(await sent(own, 'b=2; Path=/', `c=; Expires=${LONG_AGO}`)).toEqual([
      own,
      'b=2; Path=/',
      `c=; Expires=${LONG_AGO}; Max-Age=0`,
    ]);
    expect(await sent()).toBeUndefined();
  });
});
