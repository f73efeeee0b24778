// `npm run bench:backup`: how long a backup takes beside a service at work, and how long writes wait meanwhile.

import { hash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { openAuditEvents } from '#store/audit/audit-events.ts';
import { type Database, openDatabase } from '#store/database/connection.ts';
import { migrate } from '#store/database/migrate.ts';
import { startCheckpoints } from '#store/database/sqlite-upkeep.ts';
import { spreadOf } from '#tools/site/load.ts';
import { optionsOf } from '#tools/site/options.ts';
import { succeed } from '#tools/site/processes.ts';
import { writeConfig } from '#tools/site/service.ts';

const { rows } = optionsOf(
  `npm run bench:backup [-- OPTIONS]
Fills a database with tokens and audit records, and measures writes alone, during a backup and during its verification. SQLite, or
PostgreSQL with DATABASE_URL of an empty database. Judges nothing.`,
  { rows: [1_000_000, 'rows: half of them tokens, half of them audit records'] },
);
const AT_ONCE = 500;
/** Milliseconds of writing before the backup, to compare with. */
const ALONE = 10_000;

const folder = mkdtempSync(join(tmpdir(), 'hygie-bench-backup-'));
const url = process.env['DATABASE_URL'];
const file = join(folder, 'data', 'hygie.sqlite');
const env = { ...(await writeConfig(folder)), ...(url && { DATABASE_URL: url }) };
const database = openDatabase(url ? { engine: 'postgresql', url } : { engine: 'sqlite', file });
const checkpoints = url ? undefined : startCheckpoints(database, file);
try {
  await migrate(database);
  await fill(database);
  await report('writes alone', () => setTimeout(ALONE));
  const target = join(folder, 'backup');
  await report('backup', () => succeed(['backup', target], { env }));
  await report('backup --verify', () => succeed(['backup', '--verify', target], { env }));
} finally {
  await checkpoints?.stop();
  await database.destroy();
  rmSync(folder, { recursive: true, force: true });
}

async function fill(target: Database): Promise<void> {
  const audit = openAuditEvents(target);
  const payload = JSON.stringify({ scope: 'openid email', clientId: 'server', padding: 'x'.repeat(300) });
  const details = { methods: ['password'], scopes: 'openid email PRACTITIONER_READ' };
  const event = {
    event: 'token.issued',
    outcome: 'success',
    actor: 'client:server',
    client: 'server',
    details,
  } as const;
  for (let done = 0; done < rows / 2; done += AT_ONCE) {
    const numbers = Array.from({ length: AT_ONCE }, (_, index) => done + index);
    const token = (number: number) => {
      const id = hash('sha256', `t${number}`, 'base64url');
      return { model: 'AccessToken', id, payload, expires_at: 4e9 };
    };
    await target.batchInsert('oidc_records', numbers.map(token), 100);
    const time = new Date().toISOString();
    await audit.append(numbers.map(() => ({ time, ...event })));
  }
}

/** Writes one row after the other as long as the work lasts, and prints what each write took. */
async function report(name: string, work: () => Promise<unknown>): Promise<void> {
  const began = performance.now();
  const took: number[] = [];
  let busy = true;
  const done = work().finally(() => {
    busy = false;
  });
  while (busy) {
    const from = performance.now();
    const id = hash('sha256', `${from} ${took.length}`, 'base64url');
    await database('oidc_records').insert({ model: 'AuthorizationCode', id, payload: '{}', expires_at: 4e9 });
    took.push(performance.now() - from);
    await setTimeout(2);
  }
  await done;
  const seconds = ((performance.now() - began) / 1000).toFixed(1).padStart(6);
  const { count, p50, p99, max } = spreadOf(took);
  process.stdout.write(
    `${name.padEnd(16)} ${seconds} s  ${count} writes: p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, longest ${max.toFixed(1)} ms\n`,
  );
}
