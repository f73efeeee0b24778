// Puts logout notifications into a queue that is delivered with retries.
// Reason: the library sends each one once, while the person waits, and forgets it when the client does not answer (SEC-38).
// Source: OpenID Connect Back-Channel Logout 1.0 section 2.5; node-oidc-provider lib/models/client.js, id_token.js.
// Changes: Client.prototype.backchannelLogout. The queue makes its tokens with IdToken (`logout/logout-token.ts`).

import type { EndedSession } from '#store/oidc/logout-deliveries.ts';
import type { Patch } from './patch.ts';

/** `add` puts the end of a session at one client into the queue. */
export function backchannelLogoutQueue(add: (ended: EndedSession) => Promise<void>): Patch {
  return {
    name: 'backchannel-logout-queue',
    needs: [
      { member: 'Client.prototype.backchannelLogout', parameters: 2 },
      { member: 'IdToken', parameters: 2 },
      { member: 'IdToken.prototype.set', parameters: 2 },
      { member: 'IdToken.prototype.issue', parameters: 0 },
    ],
    apply: (provider) => {
      const prototype = provider.Client.prototype as unknown as {
        clientId: string;
        backchannelLogout(accountId: string, sid: string): Promise<void>;
      };
      prototype.backchannelLogout = function (accountId, sid) {
        return add({ clientId: this.clientId, accountId, sid });
      };
    },
  };
}
