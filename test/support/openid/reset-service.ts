// Puts people and clients back as they were when a service started, between groups of tests that share it. The audit trail
// stays: it cannot be shortened.

import { type RunningService, testClients } from '#support/service.ts';

/** Deleting the accounts takes along what refers to them: factors, links of mails, devices, consents. */
const TABLES = [
  ...['accounts', 'deleted_accounts', 'oidc_records', 'page_sessions', 'rate_limits'],
  ...['mail_queue', 'logout_deliveries'],
];

const accountsAtStart = new WeakMap<RunningService, Record<string, unknown>[]>();

/** Has to be called before the tests of each group, the first one included. */
export async function resetService(service: RunningService): Promise<void> {
  const { database } = service;
  const accounts: Record<string, unknown>[] = accountsAtStart.get(service) ?? (await database('accounts'));
  accountsAtStart.set(service, accounts);
  for (const table of TABLES) await database(table).delete();
  await database('accounts').insert(accounts);
  service.replaceClients(await testClients());
}
