// Clients of type api beside those of every test: resource servers that ask about tokens of others.

import type { ClientSettings } from '#config/settings.ts';
import { testClients } from '#support/service.ts';
import type { ClientKey } from './keys-of-clients.ts';

/** The clients of `testClients`, and three of type api: two that show the secret of the others, one that signs with `key`. */
export async function clientsWithApis(key: ClientKey): Promise<ClientSettings[]> {
  const known = await testClients();
  const secretHashes = known[0]?.secretHashes ?? [];
  const api = { callbackUrls: [], logoutUrls: [], consent: 'ask', serviceAccount: false, type: 'api' } as const;
  return [
    ...known,
    { ...api, id: 'api', name: 'API', secretHashes, scopes: ['PRACTITIONER_READ', 'email'] },
    { ...api, id: 'signing-api', name: 'API', secretHashes: [], jwks: { keys: [key.jwk] }, scopes: ['profile'] },
    { ...api, id: 'other-api', name: 'API', secretHashes, scopes: ['offline_access'] },
  ];
}

/** RFC 6749 section 2.3.1: who asks, in the header. */
export const basic = (id: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`,
});
