// OpenID Connect Core section 11: which application is told why it gets no refresh token.

import { expect, it } from '@jest/globals';
import { offlineAccess } from '#openid/provider/requests/offline-access.ts';
import type { AuditEvent } from '#shared/audit/events.ts';

it('an application that gets no refresh token is reported with its remedy, once an hour', () => {
  const said: unknown[] = [];
  const log = { warn: (about: object, message: string) => void said.push([about, message]) };
  const audit = { note: (event: AuditEvent) => void said.push(event) };
  const scopes = offlineAccess({ log, audit } as never);
  const ask = (
    id: string,
    metadata: object,
    may = true,
    sent = 'openid offline_access openid',
    left: string | undefined = 'openid',
  ) =>
    scopes(
      {
        req: { ip: '192.0.2.1' },
        oidc: { client: { clientId: id, grantTypeAllowed: () => may, ...metadata } },
      } as never,
      sent,
      left,
    );
  const remedy = (id: string, text: string) => [
    [{ client: id, remedy: text }, 'offline_access is left out: the application gets no refresh token'],
    {
      event: 'offline-access.left-out',
      actor: 'unknown',
      client: id,
      address: '192.0.2.1',
      details: { remedy: text },
    },
  ];
  expect(ask('always', { hygie_refresh_tokens: 'always' })).toBe('openid offline_access');
  expect(ask('kept', {}, true, 'openid offline_access', 'openid offline_access')).toBe('openid offline_access');
  expect(ask('other', {}, true, 'openid')).toBe('openid');
  expect(said.splice(0)).toEqual([]);
  expect([ask('a', {}), ask('a', {})]).toEqual(['openid', 'openid']);
  ask('b', { hygie_consent: 'trusted' });
  ask('c', { applicationType: 'native' });
  ask('d', { hygie_refresh_tokens: 'always' }, false);
  expect(said).toEqual([
    ...remedy(
      'a',
      'the application sends prompt=consent, or for a trusted client refreshTokens: always in clients.yaml',
    ),
    ...remedy('b', 'the application sends prompt=consent, or refreshTokens: always in clients.yaml'),
    ...remedy('c', 'the application sends prompt=consent'),
    ...remedy('d', 'add offline_access to its scopes in clients.yaml'),
  ]);
});
