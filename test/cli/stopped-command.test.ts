// A command that is asked to stop between its change and the record of it does both: the audit trail knows of every change.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from '@jest/globals';
import { openAccounts } from '../../src/store/accounts/accounts.ts';
import { inherited, installation, LAUNCH } from '../support/cli/hygie.ts';
import { openTestDatabase } from '../support/databases.ts';
import { until } from '../support/until.ts';

it.each(['SIGTERM', 'SIGINT'] as const)(
  '%s after the account was disabled: the record is written, and then it ends',
  async (signal) => {
    const { database, settings, close } = await openTestDatabase('postgresql');
    const url = settings.engine === 'postgresql' ? settings.url : '';
    const { environment, remove } = installation({ DATABASE_URL: url });
    try {
      const accounts = openAccounts(database);
      const [{ id = '' } = {}] = await accounts.create([{ email: 'zoe@clinic.example', name: 'Zoé Martin' }]);
      const trail = await database.transaction();
      await trail.raw('lock table audit_chain in exclusive mode');
      const child = spawn(process.execPath, [LAUNCH, 'accounts', 'disable', id], {
        env: { ...inherited(), ...environment },
      });
      const ended = once(child, 'exit');
      await until(async () => (await accounts.find(id))?.status === 'disabled', 'it is disabled');
      child.kill(signal);
      await trail.commit();
      expect(await ended).toEqual([null, signal]);
      expect(await database('audit_events').where({ account_id: id }).pluck('event')).toEqual(['account.disabled']);
    } finally {
      remove();
      await close();
    }
  },
);
