// Measures a backup beside a service at work: how long it takes with so many tokens and audit records, and what requests that write
// wait meanwhile. `npm run bench:backup [-- --rows 1000000]`, with DATABASE_URL of an empty database for PostgreSQL.

import '#support/script-help.ts';
import { hash } from 'node:crypto';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openAuditEvents } from '#store/audit/audit-events.ts';
import { startCheckpoints } from '#store/database/checkpoints.ts';
import { type Database, openDatabase } from '#store/database/connection.ts';
import { migrate } from '#store/database/migrate.ts';
import { installation } from '#support/cli/hygie.ts';
import { launch } from '#support/cli/serving.ts';

const { values } = parseArgs({ options: { rows: { type: 'string', default: '1000000' } } });
const ROWS = Number(values.rows);
const AT_ONCE = 500;
/** Milliseconds of writing before the backup, to compare with. */
const ALONE = 10_000;

const place = installation();
const url = process.env['DATABASE_URL'];
const file = join(place.folder, 'data', 'hygie.sqlite');
const database = openDatabase(url ? { engine: 'postgresql', url } : { engine: 'sqlite', file });
const checkpoints = url ? undefined : startCheckpoints(file);
try {
  await migrate(database);
  await fill(database);
  const alone = await writing(database, async () => {
    await new Promise((resolve) => setTimeout(resolve, ALONE));
  });
  report('writes alone', alone);
  const target = join(place.folder, 'backup');
  const env = url ? { DATABASE_URL: url } : {};
  for (const args of [
    ['backup', target],
    ['backup', '--verify', target],
  ]) {
    const during = await writing(database, async () => {
      const { ended, output } = launch(place, args, env);
      if ((await ended) !== 0) throw new Error(output());
    });
    report(args.slice(0, -1).join(' '), during);
  }
} finally {
  await checkpoints?.stop();
  await database.destroy();
  place.remove();
}

/** Half of them tokens, half of them audit records of the usual size. */
async function fill(target: Database): Promise<void> {
  const audit = openAuditEvents(target);
  const payload = JSON.stringify({ scope: 'openid email', clientId: 'server', padding: 'x'.repeat(300) });
  for (let done = 0; done < ROWS / 2; done += AT_ONCE) {
    const numbers = Array.from({ length: AT_ONCE }, (_, index) => done + index);
    const token = (number: number) => ({
      model: 'AccessToken',
      id: hash('sha256', `t${number}`, 'base64url'),
      payload,
      expires_at: 4e9,
    });
    await target.batchInsert('oidc_records', numbers.map(token), 100);
    const time = new Date().toISOString();
    const details = { methods: ['password'], scopes: 'openid email PRACTITIONER_READ' };
    const record = {
      time,
      event: 'token.issued',
      outcome: 'success',
      actor: 'client:server',
      client: 'server',
      details,
    } as const;
    await audit.append(numbers.map(() => record));
  }
}

/** Milliseconds that each write took, one after the other, as long as the work lasts, and how long that was. */
async function writing(target: Database, work: () => Promise<void>) {
  const began = performance.now();
  const took: number[] = [];
  let busy = true;
  const done = work().finally(() => {
    busy = false;
  });
  for (let number = 0; busy; number += 1) {
    const from = performance.now();
    const id = hash('sha256', `${from} ${number}`, 'base64url');
    await target('oidc_records').insert({ model: 'AuthorizationCode', id, payload: '{}', expires_at: 4e9 });
    took.push(performance.now() - from);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  await done;
  return { seconds: (performance.now() - began) / 1000, took: took.sort((a, b) => a - b) };
}

function report(name: string, { seconds, took }: Awaited<ReturnType<typeof writing>>): void {
  const at = (share: number) => (took[Math.min(took.length - 1, Math.floor(took.length * share))] ?? 0).toFixed(1);
  process.stdout.write(
    `${name.padEnd(16)} ${seconds.toFixed(1).padStart(6)} s  ${took.length} writes: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms\n`,
  );
}
