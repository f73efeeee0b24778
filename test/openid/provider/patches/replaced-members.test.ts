// SEC-15, SEC-16, SEC-23: what the patched members of oidc-provider do.

import { describe, expect, it } from '@jest/globals';
import { hashedClientSecrets } from '#openid/provider/patches/hashed-client-secrets.ts';
import { idTokenHintAlgorithm } from '#openid/provider/patches/id-token-hint-algorithm.ts';

describe('a patched member', () => {
  it('compares a secret by its hash, or says how long to wait', async () => {
    const asked: unknown[] = [];
    const compared = async (verdict: unknown) => {
      class Client {
        clientId = 'app';
      }
      const { apply, ...rest } = hashedClientSecrets(async (...args) => {
        asked.push(args);
        return verdict as never;
      });
      expect(rest).toEqual({
        name: 'hashed-client-secrets',
        member: 'Client.prototype.compareClientSecret',
        parameters: 1,
      });
      apply({ Client } as never);
      const client = new Client() as unknown as { compareClientSecret(secret: string): Promise<boolean> };
      return client
        .compareClientSecret('secret')
        .catch(({ error, error_description, statusCode }) => [error, error_description, statusCode]);
    };
    expect([
      await compared('right'),
      await compared('wrong'),
      await compared({ later: 'busy', seconds: 1 }),
      await compared({ later: 'limit', seconds: 9 }),
    ]).toEqual([
      true,
      false,
      ['temporarily_unavailable', 'too many secrets to check: try again', 503],
      ['temporarily_unavailable', 'too many wrong secrets from this address: try again later', 429],
    ]);
    expect(asked).toEqual(Array(4).fill(['app', 'secret', '']));
  });

  it('verifies a hint by the algorithm of its own, if it is one of ours', async () => {
    const seen: unknown[] = [];
    const IdToken = {
      validate(jwt: string, client: { idTokenSignedResponseAlg: string; clientId: string }) {
        seen.push([this === IdToken, client.clientId, client.idTokenSignedResponseAlg]);
        return jwt;
      },
    };
    const { apply, ...rest } = idTokenHintAlgorithm;
    expect(rest).toEqual({ name: 'id-token-hint-algorithm', member: 'IdToken.validate', parameters: 2 });
    apply({ IdToken } as never);
    const client = { clientId: 'app', idTokenSignedResponseAlg: 'ES256' };
    const hint = (header: string) => `${Buffer.from(header).toString('base64url')}.payload.signature`;
    const hints = ['{"alg":"RS256"}', '{"alg":"EdDSA"}', '{"alg":"none"}', '{"alg":"HS256"}', 'no JSON'].map(hint);
    expect(hints.map((one) => IdToken.validate(one, client))).toEqual(hints);
    expect(seen).toEqual(['RS256', 'EdDSA', 'ES256', 'ES256', 'ES256'].map((alg) => [true, 'app', alg]));
    expect(client.idTokenSignedResponseAlg).toBe('ES256');
  });
});
