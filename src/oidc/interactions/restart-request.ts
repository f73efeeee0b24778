// The address at which the request of an interaction starts again, as when another person wants to sign in.

import type { Provider } from 'oidc-provider';
import { epochSeconds } from '../../store/database/connection.ts';
import { ROUTES } from '../routes.ts';

/** RFC 9126 section 2.2, in the library's form. */
const PUSHED = 'urn:ietf:params:oauth:request_uri:';
/** Seconds: the browser follows at once. */
const PUSHED_LIFETIME = 60;

/** Path and query of the authorization request with these parameters; pushed, for a client that must push. */
export async function repeatedRequest(provider: Provider, params: Record<string, unknown>): Promise<string> {
  const texts = Object.entries(params).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  const authorize = new URL(provider.issuer).pathname.replace(/\/$/, '') + ROUTES.authorization;
  const clientId = String(params['client_id']);
  const client = await provider.Client.find(clientId);
  if (!client?.requirePushedAuthorizationRequests) return `${authorize}?${new URLSearchParams(texts)}`;

  const now = epochSeconds();
  const claims = { iss: clientId, aud: provider.issuer, iat: now, nbf: now, exp: now + PUSHED_LIFETIME };
  const jwt = [{ alg: 'none' }, { ...Object.fromEntries(texts), ...claims }];
  const request = `${jwt.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')}.`;
  const dpopJkt = params['dpop_jkt'];
  const pushed = new provider.PushedAuthorizationRequest({
    request,
    // The library's own code has a boolean here; its types do not.
    trusted: (client.clientAuthMethod !== 'none') as unknown as string[],
    ...(typeof dpopJkt === 'string' && { dpopJkt }),
  });
  const id = await pushed.save(PUSHED_LIFETIME);
  return `${authorize}?${new URLSearchParams({ client_id: clientId, request_uri: `${PUSHED}${id}` })}`;
}
