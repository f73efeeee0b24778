// Specification 7: how a refusal is answered, in JSON, in a challenge and at the callback; what a failure of the service looks like, and what
// the log has of both.

import { EventEmitter } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import {
  answerServerErrors,
  explainErrors,
  logErrors,
  withoutQuotes,
} from '#openid/provider/errors/error-responses.ts';
import { RETRY_SECONDS } from '#store/database/transient-errors.ts';
import { type Refused, refusedRequest } from '#support/openid/refused-request.ts';

describe('the answer to a refusal', () => {
  type Middleware = (ctx: object, next: () => Promise<void>) => Promise<void>;
  /** Answers a request by the middleware that `add` gives the provider; `refuse` emits what the library would. */
  async function answered(
    add: (provider: never) => void,
    asked: Refused,
    answer: (ctx: Answer, provider: EventEmitter) => void,
  ) {
    const middleware: Middleware[] = [];
    const provider = Object.assign(new EventEmitter(), { use: (one: Middleware) => void middleware.push(one) });
    add(provider as never);
    const headers: Record<string, unknown> = {};
    const ctx = {
      ...refusedRequest(asked),
      status: 200,
      body: undefined as unknown,
      req: { destroyed: false, complete: true },
      response: { get: (name: string) => headers[name] ?? '' },
      set: (name: string, value: unknown) => void Object.assign(headers, { [name]: value }),
      remove: (name: string) => void delete headers[name],
      headers,
    };
    await middleware[0]?.(ctx, async () => answer(ctx, provider));
    return { status: ctx.status, body: ctx.body, headers };
  }
  interface Answer {
    status: number;
    body: unknown;
    headers: Record<string, unknown>;
    req: { destroyed: boolean; complete: boolean };
  }
  const refused = (asked: Refused, refusal: object, answer: (ctx: Answer) => void) =>
    answered(explainErrors, asked, (ctx, provider) => {
      answer(ctx);
      provider.emit('grant.error', ctx, refusal);
    });

  it('has the code of the specification, and its explanation in allowed characters', async () => {
    const grant = {
      route: 'token',
      client: { grantTypeAllowed: () => false },
      params: { grant_type: 'refresh_token' },
    };
    const json = (ctx: Answer) =>
      Object.assign(ctx, { status: 400, body: { error: 'invalid_request', error_description: 'old' } });
    const refusal = () => ({ error: 'invalid_request', error_description: 'a "b" \\ é' });
    const text = "a 'b' '  ";
    expect([
      (await refused(grant, refusal(), json)).body,
      (await refused({ ...grant, client: { grantTypeAllowed: () => true } }, refusal(), json)).body,
      (await refused({ ...grant, params: { grant_type: 'other' } }, refusal(), json)).body,
    ]).toEqual([
      {
        error: 'unauthorized_client',
        error_description: expect.stringMatching(/^this client gets no refresh tokens: /),
      },
      { error: 'invalid_request', error_description: text },
      { error: 'invalid_request', error_description: text },
    ]);
    const challenge = (ctx: Answer) => {
      json(ctx);
      ctx.headers['www-authenticate'] = [
        'Bearer realm="x", error="invalid_request", error_description="a "b" \\ é"',
        'DPoP',
      ];
    };
    const userinfo = { route: 'userinfo', headers: { authorization: 'DPoP x' } };
    expect(await refused(userinfo, refusal(), challenge)).toMatchObject({
      status: 401,
      body: { error: 'invalid_dpop_proof', error_description: text },
      headers: {
        'www-authenticate': [`Bearer realm="x", error="invalid_dpop_proof", error_description="${text}"`, 'DPoP'],
      },
    });
    for (const other of [
      { headers: { authorization: 'Bearer x' } },
      { headers: { authorization: 'DPoP x', DPoP: 'y' } },
    ])
      expect(await refused({ ...userinfo, ...other }, refusal(), json)).toMatchObject({
        status: 400,
        body: { error: 'invalid_request' },
      });
  });

  it('is explained at the callback, in the query or in the fragment, where the error is', async () => {
    const at = async (location: string) => {
      const { headers, body } = await refused({}, { error: 'x', error_description: 'why' }, (ctx) => {
        Object.assign(ctx, { status: 303, body: `Redirecting to ${location}.` });
        ctx.headers['location'] = location;
      });
      expect(body).toBe('Redirecting to the application.');
      return headers['location'];
    };
    const callback = 'https://a.example/cb';
    expect(await at(`${callback}?error=x&error_description=old&s=1`)).toBe(
      `${callback}?error=x&error_description=why&s=1`,
    );
    expect(await at(`${callback}#error=x&error_description=old`)).toBe(`${callback}#error=x&error_description=why`);
    for (const other of [`${callback}?error=y`, 'nonsense']) expect(await at(other)).toBe(other);
  });

  it('of a failure says who finds the cause, and when to try again', async () => {
    const failed = (answer: (ctx: Answer, provider: EventEmitter) => void) => answered(answerServerErrors, {}, answer);
    const FAILED = {
      error: 'server_error',
      error_description:
        'this service failed: its operator finds the cause in the log, by the X-Request-Id of this answer',
    };
    const AWAY = {
      error: 'temporarily_unavailable',
      error_description: 'the database of this service does not answer at the moment: try again soon',
    };
    const away = Object.assign(new Error('gone'), { code: 'ECONNREFUSED' });
    const ours = (error: Error) => (ctx: Answer) => {
      Object.assign(ctx.headers, { location: 'x', 'www-authenticate': 'y', kept: 'z' });
      throw error;
    };
    const theirs = (error: Error, body: unknown) => (ctx: Answer, provider: EventEmitter) => {
      Object.assign(ctx, { status: 500, body });
      provider.emit('server_error', ctx, error);
    };
    const retry = { 'retry-after': String(RETRY_SECONDS) };
    expect([
      await failed(ours(new Error('x'))),
      await failed(ours(away)),
      await failed(theirs(new Error('x'), { error: 'server_error' })),
      await failed(theirs(away, { error: 'server_error' })),
      await failed(theirs(new Error('x'), 'a page')),
      await failed(theirs(away, 'a page')),
      await failed((ctx) => Object.assign(ctx, { body: 'fine' })),
      await failed((ctx) => {
        ctx.req = { destroyed: true, complete: false };
        throw new Error('gone');
      }),
    ]).toEqual([
      { status: 500, body: FAILED, headers: { kept: 'z' } },
      { status: 503, body: AWAY, headers: { kept: 'z', ...retry } },
      { status: 500, body: FAILED, headers: {} },
      { status: 503, body: AWAY, headers: retry },
      { status: 500, body: 'a page', headers: {} },
      { status: 503, body: 'a page', headers: retry },
      { status: 200, body: 'fine', headers: {} },
      { status: 200, body: undefined, headers: {} },
    ]);
  });
});

it('SEC-17 what the log has of a refusal is the reason without quotations, and the failure itself', () => {
  const provider = new EventEmitter();
  const emit = provider.emit.bind(provider);
  const lines: unknown[] = [];
  const level = (name: string) => (about: object, message: string) => void lines.push([name, about, message]);
  const log = { debug: level('debug'), info: level('info'), warn: level('warn'), error: level('error') };
  logErrors(provider as never, log as never);
  const ctx = { oidc: { route: 'token', client: { clientId: 'app' } } };
  const [reset, other] = [Object.assign(new Error('x'), { code: 'ECONNRESET' }), new Error('y')];
  emit('error', reset);
  emit('error', other);
  emit('server_error', ctx, other);
  emit('server_error', undefined, other);
  for (const event of [
    'authorization',
    'grant',
    'pushed_authorization_request',
    'introspection',
    'revocation',
    'userinfo',
    'end_session',
  ])
    emit(`${event}.error`, ctx, { error: 'e', error_description: 'a "b" c' });
  emit('backchannel.error', undefined, other, { clientId: 'app' }, 'person');
  const who = { route: 'token', client: 'app' };
  expect(lines).toEqual([
    ['debug', { err: reset }, 'an answer could not be sent'],
    ['error', { err: other }, 'an answer could not be sent'],
    ['error', { ...who, err: other }, 'the provider failed'],
    ['error', { route: undefined, client: undefined, err: other }, 'the provider failed'],
    ...Array(7).fill(['info', { ...who, error: 'e', description: 'a "…" c' }, 'refused']),
    ['warn', { err: other, client: 'app', account: 'person' }, 'a client could not be notified of the sign-out'],
  ]);
  expect(
    [
      'origin https://x.example not allowed for client: y',
      'only application/x bodies are supported on POST /x',
      undefined,
    ].map(withoutQuotes),
  ).toEqual(['origin not allowed for client: y', 'only application/x bodies are supported', undefined]);
});
