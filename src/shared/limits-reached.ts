// Reports refusals by limits on a channel of node:diagnostics_channel. Limits are in many folders, and because of the channel none of them
// has to import the metrics. Without a listener, a refusal costs nothing.

import { channel } from 'node:diagnostics_channel';

/** Every limit, with the requests that it refuses. The handbook's table lists the same limits. */
export const LIMITS = {
  'sign-in-account': 'a password or code from an unknown browser, after too many wrong ones for the account',
  'sign-in-network':
    'a password, code or passkey from an unknown browser, after too many wrong ones from its address or network',
  'password-queue': 'a password, when too many already wait to be checked',
  'client-secret': 'the secret of a client, from an address or network that sent too many wrong ones',
  'client-secret-queue': 'a chosen secret of a client, when too many already wait to be checked',
  'pushed-requests': 'a pushed authorization request (PAR) of a public client, after too many in a minute',
  'service-account-tokens': 'a token of a client for itself (client credentials), after too many in a minute',
  'invalid-tokens': 'a request to the directory from an address or network that sent too many invalid tokens',
  'open-renderings':
    'a request without a token for the description of the directory in XML, indented or in part, after too many in a minute',
  'directory-client': 'a request of a client to the directory, beyond its rate',
  'directory-person': 'a request of a person to the directory, beyond their share of the rate of the client',
  'directory-service-account': 'a request to the directory with a token of the client itself, beyond its rate',
  'unread-answers': 'a response of the directory to a client that leaves too many responses unread',
  batches: 'a batch of a client that already has too many waiting',
  'export-downloads': 'a download of a file of an export, beyond directory.downloads at a time',
  searches: 'a search, when too many already wait, or when it takes too long',
  mails: 'a mail that somebody requested, after too many to the recipient, or from the address or network',
  'link-passwords': 'a new password sent through the link in a mail, after too many attempts',
  'new-passkeys': 'a new passkey of an account, after too many attempts',
  'audit-records': 'a record of a refusal, or of what one account does very often; the audit trail has only its count',
  connections: 'a connection, beyond listen.maxConnections',
  'connections-of-network': 'a connection of a network, beyond listen.connectionsPerNetwork',
} as const;

export type LimitName = keyof typeof LIMITS;

const REFUSALS = 'hygie:limit-reached';
const refusals = channel(REFUSALS);

/** Reports that a limit has refused something. */
export function limitReached(limit: LimitName): void {
  if (refusals.hasSubscribers) refusals.publish(limit);
}

/** Calls `listener` at every refusal of this process. Returns a function that ends these calls. */
export function onLimitReached(listener: (limit: LimitName) => void): () => void {
  const receive = (limit: unknown) => listener(limit as LimitName);
  refusals.subscribe(receive);
  return () => void refusals.unsubscribe(receive);
}
