// Compares client secrets with the hashes of clients.yaml.
// Reason: oidc-provider compares secrets in plain text. This service stores secrets only as hashes (SEC-16), and throttles guessing
// (SEC-15, SEC-59). oidc-provider has no setting for hashes and none for throttling. `clients/client-secret-check.ts` compares the secret
// with the hashes.
// Source: RFC 6749 section 2.3.1, RFC 9700 section 2.5; node-oidc-provider lib/models/client.js.
// Changes: Client.prototype.compareClientSecret.

import { errors, Provider } from 'oidc-provider';
import type { CheckSecret } from '#openid/clients/client-secret-check.ts';
import { clientAddress } from '#web/http/client-address.ts';
import type { Patch } from './patch.ts';

export function hashedClientSecrets(checkSecret: CheckSecret): Patch {
  return {
    name: 'hashed-client-secrets',
    member: 'Client.prototype.compareClientSecret',
    parameters: 1,
    apply: (provider) => {
      const prototype = provider.Client.prototype as unknown as {
        clientId: string;
        compareClientSecret(secret: string): Promise<boolean>;
      };
      prototype.compareClientSecret = async function (secret) {
        const address = Provider.ctx ? clientAddress(Provider.ctx.req) : '';
        const verdict = await checkSecret(this.clientId, secret, address);
        if (typeof verdict === 'string') return verdict === 'right';
        if (verdict.later === 'busy') throw later(503, 'too many secrets to check: try again', verdict.seconds);
        throw later(429, 'too many wrong secrets from this address: try again later', verdict.seconds);
      };
    },
  };
}

// RFC 6749 has no error code for the token endpoint that asks a client to try again later. So a code of the authorization endpoint is used
// (section 4.1.2.1).
function later(statusCode: number, description: string, seconds: number): Error {
  Provider.ctx?.set('retry-after', String(seconds));
  return Object.assign(new errors.TemporarilyUnavailable(description), { statusCode });
}
