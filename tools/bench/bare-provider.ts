// The reference of the sign-in bench: oidc-provider as its documentation starts it, with the memory adapter, and with the same
// claims as the service, so that both say the same.
// Run as a process of its own; prints its address when it listens.

import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import { Provider } from 'oidc-provider';

const [port = '0', callback = ''] = process.argv.slice(2);
const NAMESPACE = 'https://example.org/claims';
const issuer = `http://127.0.0.1:${port}`;
const jwk = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' });

const provider = new Provider(issuer, {
  clients: [
    {
      client_id: 'bench',
      client_secret: 'bench-secret-of-the-reference-process',
      redirect_uris: [callback],
      response_types: ['code'],
      grant_types: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_method: 'client_secret_post',
    },
  ],
  jwks: { keys: [{ ...jwk, use: 'sig', alg: 'RS256' }] },
  cookies: { keys: ['bench'] },
  features: { introspection: { enabled: true } },
  // The service rotates the refresh token at every refresh.
  rotateRefreshToken: true,
  claims: {
    openid: ['sub', `${NAMESPACE}/applicationName`, `${NAMESPACE}/userInfo`],
    email: ['email', 'email_verified'],
    profile: ['name', 'nickname', 'picture', 'updated_at'],
  },
  conformIdTokenClaims: false,
  findAccount: async (_ctx, id) => ({
    accountId: id,
    claims: async () => ({
      sub: id,
      [`${NAMESPACE}/applicationName`]: 'Bench',
      [`${NAMESPACE}/userInfo`]: {
        uuid: '00000000-0000-4000-8000-000000000000',
        apiUrl: 'http://127.0.0.1:3000/directory/v2',
        currentWorkspaceId: 'Organization/000000000000',
        identities: ['Practitioner/000000000000'],
      },
      email: 'helene.bench@example.test',
      email_verified: true,
      name: 'Hélène Bench',
      nickname: 'Hélène',
      picture: 'https://example.test/bench.png',
      updated_at: new Date(0).toISOString(),
    }),
  }),
});

createServer(provider.callback()).listen(Number(port), '127.0.0.1', () => process.stdout.write(`${issuer}\n`));
