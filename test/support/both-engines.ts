// The test files that run on both engines, by what has to hold on both. Races of several instances run on SQLite in `npm test`, and on
// PostgreSQL in `npm run test:system`. Every other file runs on one: SQLite, or PostgreSQL where it is
// about that. A statement that only one of them takes is found here, or nowhere: whoever adds SQL adds it to a contract of the store.

import { ENGINES, type Engine } from './databases.ts';

const RACES = 'races between requests, instances and processes';

export const BOTH_ENGINES = {
  'the contract of the store': [
    'openid/provider/clock-set-back',
    'server/cleanup/cleanup',
    'server/audit/corrections',
    'store/accounts/accounts',
    'store/accounts/counted-and-kept',
    'store/accounts/deleted-accounts',
    'store/accounts/links',
    'store/accounts/links-and-limits',
    'store/accounts/second-factors',
    'store/audit/audit-chain',
    'store/audit/audit-table',
    'store/audit/audit-trail',
    'store/audit/counts',
    'store/contract',
    'store/database/prepared',
    'store/instances',
    'store/oidc/kept-records',
    'store/oidc/oidc-records',
    'store/outbox/outbox',
    'store/snapshots/import-lock',
    'store/snapshots/registry',
  ],
  [RACES]: [
    'directory/corrections/raced.system',
    'import/rebuild',
    'openid/account/passkey-attestation',
    'openid/account/two-instances',
    'openid/keys/key-ring',
    'openid/mail/worker',
    'openid/provider/parallel-requests.system',
    'openid/sessions/parallel-writes.property',
    'openid/sessions/sessions-not-before',
    'openid/sign-in/parallel-answers',
    'openid/sign-in/throttle',
    'openid/tokens/code-reuse',
    'openid/tokens/refresh-grace',
    'server/instances/instances',
    'server/linked-accounts/linked-accounts',
    'store/snapshots/import-lock.system',
  ],
  'a database that is away, or stores nothing': ['server/start/readiness', 'store/database/unavailable'],
  migrations: [
    'store/database/migrate',
    'store/database/migrations.system',
    'store/upgrades/killed.system',
    'store/upgrades/releases.system',
  ],
  'backup and restore': [
    'server/backup/backup-restore.system',
    'server/backup/unsound-backups.system',
    'server/process/killed.system',
  ],
  'one journey of each kind: commands, sign-ins, tokens, secrets at rest': [
    'cli/accounts',
    'cli/first-use.system',
    'cli/processes.system',
    'cli/stopped-command.system',
    'hygiene/canaries.system',
    'life-cycle/life-cycle.system',
  ],
} as const;

type Listed = (typeof BOTH_ENGINES)[keyof typeof BOTH_ENGINES][number];

/** Both engines, for the file of that name: the type check refuses one that is not in the list, `house.test.ts` another's name. */
export function bothEngines(file: Listed): readonly Engine[] {
  if (!racesOfBoth.has(file)) return ENGINES;
  return process.env['HYGIE_TEST_RACES'] === 'postgresql' ? ['postgresql'] : ['sqlite'];
}

/** Files of `npm test` that `test/system.config.js` runs as well, on PostgreSQL. */
export const racesOfBoth: ReadonlySet<string> = new Set(
  BOTH_ENGINES[RACES].filter((name) => !name.endsWith('.system')),
);
