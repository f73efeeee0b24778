// SEC-17: what the log has of a refusal and of a failure, without quotations from the request.

import { EventEmitter } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { logErrors, withoutQuotes } from '#openid/provider/errors/error-log.ts';

describe('SEC-17 what the log has of a refusal', () => {
  it('is the reason without quotations, and the failure itself', () => {
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
});
