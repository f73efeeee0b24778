// SEC-32, SEC-44: what a posted form may hold, from both sides of each limit, and what the token of a form is made of.

import { createHmac } from 'node:crypto';
import { describe, expect, it, jest } from '@jest/globals';
import express, { type ErrorRequestHandler } from 'express';
import request from 'supertest';
import { derivedTokens, tokensOfSession } from '#web/forms/csrf.ts';
import { parseForm, UnusableForm } from '#web/forms/form.ts';
import { waitingNotice } from '#web/forms/pause-notice.ts';

describe('SEC-44 a posted form', () => {
  const app = express().post('/', parseForm, (req, res) => void res.json(req.body ?? null));
  app.use(((error, _req, res, _next) => void res.status(error.status).end()) satisfies ErrorRequestHandler);
  const post = (body: string, type = 'application/x-www-form-urlencoded') =>
    request(app).post('/').set('Content-Type', type).send(body);
  const fields = (count: number) => Array.from({ length: count }, (_, at) => `f${at}=1`).join('&');

  it('has 20 fields and 8,192 bytes at most', async () => {
    expect([(await post(fields(20))).status, (await post(fields(21))).status]).toEqual([200, 413]);
    const long = (bytes: number) => `a=${'x'.repeat(bytes - 2)}`;
    expect([(await post(long(8192))).status, (await post(long(8193))).status]).toEqual([200, 413]);
  });

  it('has fields by their names as they are, and no objects', async () => {
    expect((await post('a[b]=1&c=d+e')).body).toEqual({ 'a[b]': '1', c: 'd e' });
    expect((await post('{"a":1}', 'application/json')).body).toBeNull();
    expect(new UnusableForm(415, 'text')).toMatchObject({ status: 415, message: 'text' });
  });
});

it('SEC-39 a pause is told with its end and how long it lasts, in the words of what was asked for', () => {
  jest.useFakeTimers({ now: new Date(2026, 10, 28, 12, 0), doNotFake: ['nextTick', 'setImmediate', 'setTimeout'] });
  const words = { waiting: 'Wait', waitingAdvice: (until: string, time: string) => `until ${until}, in ${time}` };
  const notice = String(waitingNotice(words, { kind: 'waiting', seconds: 600 }, 'en'));
  expect(notice).toContain('<p class="notice-title">Wait</p>\n<p>until 12:10, in 10\u00a0minutes</p>');
});

describe('SEC-32 the token of a form', () => {
  it('is of 24 random bytes, made once for a session', () => {
    const session: { csrf?: string } = {};
    const [token, ...others] = tokensOfSession(session);
    expect([Buffer.from(token, 'base64url').length, others, session]).toEqual([24, [], { csrf: token }]);
    expect(tokensOfSession(session)).toEqual([token]);
    expect(tokensOfSession({})).not.toEqual([token]);
  });

  it('of a browser follows from its cookie and each key', () => {
    const derived = (key: string) =>
      createHmac('sha256', key).update('csrf browser').digest().subarray(0, 24).toString('base64url');
    expect(derivedTokens(['new', 'old'])('browser')).toEqual([derived('new'), derived('old')]);
    expect(derivedTokens([])('browser')).toHaveLength(1);
  });
});
