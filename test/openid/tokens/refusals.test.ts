// SEC-10, SEC-21, RFC 7662, RFC 7009: who learns of a token and who gets one, in the words that a developer reads.

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ownScopes, serviceAccountTokens } from '#openid/tokens/service-account-tokens.ts';
import { pushedOnce, replayDetection } from '#openid/tokens/single-use.ts';
import { onLimitReached } from '#shared/limits-reached.ts';
import { AlreadyConsumed, AlreadyThere } from '#store/oidc/oidc-records.ts';
import { clientSettings, registryOf } from '#support/openid/client-settings.ts';

const NOW = Date.parse('2026-11-28T12:00:00Z') / 1000;

describe('refusals of tokens', () => {
  beforeEach(
    () => void jest.useFakeTimers({ now: NOW * 1000, doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] }),
  );
  afterEach(() => void jest.useRealTimers());

  describe('SEC-21 a client for itself', () => {
    it('has scopes of no person, and of the directory where the operator says so', () => {
      const scopes = ['email', 'PRACTITIONER_READ', 'ORGANIZATION_READ'];
      expect([ownScopes({ scopes }), ownScopes({ scopes, directoryAccess: true })]).toEqual([['email'], scopes]);
    });

    it('is refused with the remedy, and beyond its number has to wait', async () => {
      const headers: Record<string, string> = {};
      const all = [
        clientSettings({ serviceAccount: true }),
        clientSettings({ id: 'none', scopes: ['openid'] }),
        clientSettings({ id: 'reads', directoryAccess: true }),
      ];
      const check = serviceAccountTokens(registryOf(...all), 2);
      const ask = (scope: string | undefined, clientId = 'app', sent?: unknown, kind = 'ClientCredentials') =>
        check(
          {
            oidc: { client: { clientId }, body: { scope: sent } },
            set: (name: string, value: string) => Object.assign(headers, { [name]: value }),
          } as never,
          { kind, scope } as never,
        ).then(
          () => 'given',
          ({ error, error_description, statusCode, scope: of }) => [error, error_description, statusCode, of],
        );
      const refusal = (reason: string, scope: string) => [
        'invalid_scope',
        `client_credentials gives a token without a person: ${reason}`,
        400,
        scope,
      ];
      const directory =
        'let a person sign in, or have the operator write directoryAccess: true beside serviceAccount: true in clients.yaml';
      expect([
        await ask('openid offline_access email'),
        await ask('PRACTITIONER_READ email'),
        await ask(undefined, 'app', 'x'.repeat(61)),
        await ask(undefined, 'none', 'y'),
        await ask('PRACTITIONER_READ', 'reads'),
        await ask(undefined, 'none'),
        await ask('openid', 'app', undefined, 'AccessToken'),
      ]).toEqual([
        refusal(
          'leave openid offline_access out of scope, which is for the sign-in of people',
          'openid offline_access',
        ),
        refusal(`the directory needs one for PRACTITIONER_READ: ${directory}`, 'PRACTITIONER_READ'),
        ['invalid_scope', 'none of the scopes is known here: name email', 400, 'x'.repeat(60)],
        ['invalid_scope', 'none of the scopes is known here: name none: the operator gave this client none', 400, 'y'],
        ...['given', 'given', 'given'],
      ]);
      const reached: string[] = [];
      const end = onLimitReached((limit) => void reached.push(limit));
      expect([await ask('email'), await ask('email'), await ask('email')]).toEqual([
        ...['given', 'given'],
        ['temporarily_unavailable', 'this client obtained 2 tokens in 60 s: use each until it expires', 429, undefined],
      ]);
      end();
      expect([headers, reached]).toEqual([
        { 'retry-after': expect.stringMatching(/^(60|59)$/) },
        ['service-account-tokens'],
      ]);
    });
  });

  describe('SEC-10 what counts once', () => {
    it('is a pushed request, and what was signed', async () => {
      const broken = new Error('away');
      const pushed = (error?: Error) =>
        pushedOnce({ consume: async () => void (error && raise(error)) } as never).consume('x');
      await pushed();
      await expect(pushed(new AlreadyConsumed())).rejects.toMatchObject({
        error: 'invalid_request_uri',
        error_description: 'request_uri is invalid, expired, or was already used',
      });
      await expect(pushed(broken)).rejects.toBe(broken);
      const stored: unknown[] = [];
      const seen = (error?: Error) =>
        replayDetection(
          {} as never,
          {
            insertOnce: async (...args: unknown[]) => {
              stored.push(args);
              if (error) throw error;
            },
          } as never,
        ).find('id');
      expect([await seen(), await seen(new AlreadyThere())]).toEqual([
        undefined,
        { jti: 'id', kind: 'ReplayDetection', exp: NOW + 3600 },
      ]);
      expect(stored[0]).toEqual(['ReplayDetection', 'id', { kind: 'ReplayDetection', exp: NOW + 3600 }, 3600]);
      await expect(seen(broken)).rejects.toBe(broken);
    });

    function raise(error: Error): never {
      throw error;
    }
  });
});
