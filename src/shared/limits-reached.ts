// Reports refusals by limits on a channel of node:diagnostics_channel. Limits are in many folders, and this way none of them needs to know
// the metrics. Without a listener a refusal costs nothing.

import { channel } from 'node:diagnostics_channel';

/** Every limit, with what it refuses. The handbook's table of limits has the same ones. */
export const LIMITS = {
  'sign-in-account': 'password or code of an unknown browser: too many wrong ones of its account',
  'sign-in-network': 'password, code or passkey of an unknown browser: too many wrong ones from its address or network',
  'password-queue': 'password that found no place among those that wait to be checked',
  'client-secret': 'secret of a client, at an address or network that sent too many wrong ones',
  'client-secret-queue': 'chosen secret of a client that found no place among those that wait to be checked',
  'pushed-requests': 'pushed authorization request of a public client (PAR)',
  'service-account-tokens': 'token of a client for itself (client credentials)',
  'invalid-tokens': 'request to the directory from an address or network that sent too many tokens that did not hold',
  'open-renderings': 'description of the directory in XML, indented or in part, asked for without a token',
  'directory-client': 'request of a client to the directory, beyond its rate',
  'directory-person': 'request of a person to the directory, beyond the share of the rate of the client',
  'directory-service-account': 'the same with a token of the client itself',
  'unread-answers': 'answer of the directory to a client that leaves too many unread',
  batches: 'batch of a client that has too many waiting',
  'export-downloads': 'download of a file of an export, beyond directory.downloads at a time',
  searches: 'search that found no place among those that wait, or was not done in time',
  mails: 'mail that somebody asked for: too many for the recipient, or from the address or network',
  'link-passwords': 'password sent by the link of a mail',
  'new-passkeys': 'new passkey of an account that tried too often',
  'audit-records': 'record of a refusal, which was only counted in the audit trail',
  connections: 'connection, beyond listen.maxConnections',
  'connections-of-network': 'connection of a network, beyond listen.connectionsPerNetwork',
} as const;

export type LimitName = keyof typeof LIMITS;

const REFUSALS = 'hygie:limit-reached';
const refusals = channel(REFUSALS);

/** Reports that a limit has refused something. */
export function limitReached(limit: LimitName): void {
  if (refusals.hasSubscribers) refusals.publish(limit);
}

/** Calls `listener` at every refusal of this process, until the function that it returns is called. */
export function onLimitReached(listener: (limit: LimitName) => void): () => void {
  const receive = (limit: unknown) => listener(limit as LimitName);
  refusals.subscribe(receive);
  return () => void refusals.unsubscribe(receive);
}
