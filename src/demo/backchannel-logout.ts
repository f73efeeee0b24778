// Receives logout tokens from the service, and ends the sessions that they name (OpenID Connect Back-Channel Logout 1.0).

import express, { type Request, type Response, Router } from 'express';
import { InvalidLogoutToken } from './logout-token.ts';
import { demoPaths } from './paths.ts';
import type { RelyingParty } from './relying-party.ts';
import type { SessionStore } from './session.ts';

/** Answers `POST /backchannel-logout`: 200, or 400 for an invalid token, or 503 while the public keys cannot be read. */
export function backchannelLogout(options: { issuer: string; party: RelyingParty; store: SessionStore }): Router {
  const { issuer, party, store } = options;

  async function take(request: Request, response: Response): Promise<void> {
    response.set('Cache-Control', 'no-store');
    const token: unknown = request.body?.logout_token;
    try {
      if (typeof token !== 'string') throw new InvalidLogoutToken('there is no logout_token');
      const { header, claims } = await party.verifyLogoutToken(token);
      store.endSignIns({ header, claims, request: requestShown(issuer, token), at: Date.now() });
      response.end();
    } catch (error) {
      if (error instanceof InvalidLogoutToken)
        response.status(400).json({ error: 'invalid_request', error_description: error.message });
      else response.status(503).json({ error: 'temporarily_unavailable' });
    }
  }

  const path = demoPaths.backchannelLogout.slice(demoPaths.base.length);
  return Router().post(path, express.urlencoded({ extended: false, limit: '16kb', parameterLimit: 20 }), take);
}

/** The logout request for the page. The token is shortened, and useless without its signature. */
function requestShown(issuer: string, token: string): string {
  const [header = '', claims = '', signature = ''] = token.split('.');
  return [
    `POST ${issuer}${demoPaths.backchannelLogout}`,
    'Content-Type: application/x-www-form-urlencoded',
    '',
    `logout_token=${header}.${claims}.${signature.slice(0, 8)}…`,
    '',
    'HTTP 200',
  ].join('\n');
}
