// The line of each request in the log, and the pictures with initials.

import { describe, expect, it, jest } from '@jest/globals';
import express from 'express';
import request from 'supertest';
import { sendPicture } from '#server/middleware/picture.ts';
import { pathLogger } from '#server/middleware/request-log.ts';
import { echo, settingsOf } from '#support/server/echo.ts';
import { initialsPicture } from '#web/initials.ts';

describe('the line of a request', () => {
  it('has its level by status and address, and what is known of it', async () => {
    const { app, lines } = echo();
    const asked = ['/health/live', '/base/x.css', '/base/logo.svg', '/base/a.js', '/health/ready', '/base/failing'];
    for (const path of [...asked, '/base/batch', '/base/secret', '/base/x.css/y', '/x/health/live'])
      await request(app).get(path).set({ host: 'connect.example' });
    expect(lines.map(({ level, path, status }) => [level, path, status])).toEqual([
      ['debug', '/health/live', 200],
      ['debug', '/base/…', 200],
      ['debug', '/base/…', 200],
      ['debug', '/base/…', 200],
      ['info', '/health/ready', 404],
      ['error', '/base/…', 503],
      ['info', '/base/…', 200],
      ['info', '/base/…', 200],
      ['info', '/base/…/…', 200],
      ['info', '/…/health/live', 200],
    ]);
    const [first, , , , , , batch] = lines;
    const [, prefix] = /^([\da-z]{8})-1$/.exec(String(first?.['requestId'])) ?? [];
    expect(lines.map(({ requestId }) => requestId)).toEqual(
      lines.map((_, index) => `${prefix}-${(index + 1).toString(36)}`),
    );
    const known = {
      time: expect.stringMatching(/Z$/),
      pid: process.pid,
      method: 'GET',
      ms: expect.any(Number),
      msg: 'request',
    };
    expect(first).toEqual({ level: 'debug', requestId: `${prefix}-1`, path: '/health/live', status: 200, ...known });
    expect(batch).toMatchObject({ entries: 3, trace_id: 't', span_id: 's' });
    for (const { ms } of lines) expect(Math.round(Number(ms) * 10) / 10).toBe(ms);
  });

  it('has its time in tenths of a millisecond; what measures is told the exact time, and the whole path', async () => {
    const measured: { ms: number }[] = [];
    const { app, lines } = echo(settingsOf(), (told) => void measured.push(told));
    let now = 1000;
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => {
      now += 12.34;
      return now;
    });
    await request(app).get('/base/x').set({ host: 'connect.example' });
    clock.mockRestore();
    expect(Number(lines[0]?.['ms']) % 12.3).toBeLessThan(0.5);
    expect(measured).toEqual([{ method: 'GET', path: '/base/x', status: 200, ms: expect.any(Number) }]);
    const readings = Number(measured[0]?.ms) / 12.34;
    expect(readings).toBeCloseTo(Math.round(readings), 6);
  });

  it.each([
    [0, 'id-of-a-proxy.1', false],
    [1, 'id-of-a-proxy.1', true],
    [1, 'x'.repeat(8), true],
    [1, 'x'.repeat(64), true],
    [1, 'x'.repeat(7), false],
    [1, 'x'.repeat(65), false],
    [1, 'under_score', false],
  ])('behind %i proxies takes the id %s: %j', async (proxies, given, taken) => {
    const { app, lines } = echo(settingsOf(proxies));
    const { headers } = await request(app).get('/base/x').set({ host: 'connect.example', 'x-request-id': given });
    const id = taken ? given : expect.stringMatching(/^[\da-z]{8}-1$/);
    expect([headers['x-request-id'], lines[0]?.['requestId']]).toEqual([id, id]);
  });

  it.each([
    ['/base/account/passkeys', '/base/account/passkeys'],
    ['/base/interaction/abc/login', '/base/interaction/…/login'],
    ['/base/account-link/password-reset/secret', '/base/account-link/password-reset/…'],
    ['/v2/Practitioner/123/_history/1', '/v2/Practitioner/…/_history/…'],
    ['/v2/$export', '/v2/$export'],
    ['/.well-known/change-password', '/.well-known/change-password'],
    ['/', '/'],
    [`/${'a/'.repeat(10)}`, `/${'…/'.repeat(9)}…`],
    [`${'/a'.repeat(9)}/base`, `${'/…'.repeat(9)}/base`],
    [`${'/a'.repeat(10)}/base`, '/…'.repeat(10)],
  ])('writes %s as %s', (path, written) => {
    expect(pathLogger(settingsOf())(path)).toBe(written);
  });
});

describe('a picture of initials', () => {
  const names: Record<string, string> = { a: 'Ann Bell', empty: '' };
  const app = express();
  const stores = {
    pictures: {
      accountOf: (file: string) =>
        ({ '1234abcd99.svg': 'a', 'zz.svg': 'a', 'gone.svg': 'gone', 'e.svg': 'empty' })[file],
    },
    accounts: { find: async (id: string) => (id in names ? { name: names[id] } : undefined) },
  };
  app.get('/picture/:file', sendPicture(stores as never));
  const ask = async (file: string, headers = {}) => request(app).get(`/picture/${file}`).set(headers).buffer();

  it.each([
    ['1234abcd99.svg', 'Ann Bell', 0x1234abcd],
    ['zz.svg', 'Ann Bell', 0],
    ['e.svg', '', 14],
    ['person.svg', '', 0],
  ])('%s is that of %j', async (file, name, ground) => {
    const { status, headers, body } = await ask(file);
    expect([status, String(body)]).toEqual([200, initialsPicture(name, ground).toString()]);
    expect(headers).toMatchObject({
      'cache-control': 'public, max-age=3600',
      'content-security-policy': "default-src 'none'; sandbox",
      'cross-origin-resource-policy': 'cross-origin',
      'content-type': 'image/svg+xml; charset=utf-8',
    });
    expect((await ask(file, { 'if-none-match': headers['etag'] })).status).toBe(304);
  });

  it('of nobody is none', async () => {
    expect([(await ask('unknown.svg')).status, (await ask('gone.svg')).status]).toEqual([404, 404]);
  });
});
