// A test client that signs its authorization requests (RFC 9101), each part of which can be made wrong.

import type { Visit } from '#support/person.ts';
import { CALLBACK, type RunningService } from '#support/service.ts';
import { assertion, type ClientKey, jwt } from './keys-of-clients.ts';
import { signedInPerson } from './relying-party.ts';

/** Signs by `key`; every request has the same `state`. */
export function signingClient(key: ClientKey, clientId: string, state: string) {
  const parameters = { client_id: clientId, response_type: 'code', scope: 'openid', redirect_uri: CALLBACK };
  return {
    /** `undefined` leaves a claim out. */
    requestObject: (
      { issuer }: RunningService,
      claims: object = {},
      header: object = {},
      by: ClientKey = key,
    ): string => {
      const now = Math.floor(Date.now() / 1000);
      const all = { iss: clientId, aud: issuer, iat: now, nbf: now, exp: now + 300, ...parameters, state, ...claims };
      return jwt(by, { kid: by.jwk['kid'], typ: 'oauth-authz-req+jwt', ...header }, all);
    },
    /** Sends it by the browser of somebody who is signed in; `outside` stands beside it. */
    visit: (service: RunningService, request: string, outside: Record<string, string> = {}): Promise<Visit> => {
      const address = `${service.issuer}/authorize?${new URLSearchParams({ ...parameters, ...outside, request })}`;
      return signedInPerson(service).visit(address, { headers: { 'accept-language': 'en' } });
    },
    /** Pushes it, authenticated. */
    push: async ({ issuer }: RunningService, fields: Record<string, string>, as = clientId) => {
      const body = new URLSearchParams({ ...assertion(key, as, issuer), ...fields });
      const answer = await fetch(`${issuer}/oauth/par`, { method: 'POST', body });
      return { status: answer.status, body: (await answer.json()) as Record<string, string> };
    },
  };
}
