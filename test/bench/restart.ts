// `npm run bench:restart`: instances on one PostgreSQL behind nginx (without it, a proxy like it) are restarted in turn while POSTs
// come; prints how many were lost. A proxy repeats none of them: each has to be answered by the instance to which it was sent.
// `--posts N`, `--drain SECONDS`, `--keepalive N` idle connections that the proxy keeps (0: one for each request), `--processes N`.

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { newDatabase } from '../support/databases.ts';
import { freePort, startPostgres, stopPostgres } from '../support/postgres.ts';
import { NGINX, startNginx } from '../support/proxy/nginx.ts';
import { startRoundRobin } from '../support/proxy/round-robin.ts';
import { accessToken, signInToHygie } from './access.ts';
import { send } from './load.ts';
import { type Running, SECRET, startService, writeSite } from './processes.ts';

const { values } = parseArgs({
  options: {
    posts: { type: 'string', default: '100000' },
    drain: { type: 'string', default: '5' },
    keepalive: { type: 'string', default: '16' },
    processes: { type: 'string', default: '1' },
  },
});
const POSTS = Number(values.posts);
const PARALLEL = 16;
/** Milliseconds; nginx has 10 s by default. */
const FAIL_TIMEOUT = 10_500;

const folder = await mkdtemp(join(tmpdir(), 'hygie-restart-'));
await startPostgres();
const database = await newDatabase('postgresql');
const port = await freePort();
const ports = [await freePort(), await freePort()];
const env = {
  ...(await writeSite(folder)),
  HYGIE_ISSUER: `http://127.0.0.1:${port}`,
  HYGIE_PROCESSES: values.processes,
  ...(database.settings.engine === 'postgresql' && { DATABASE_URL: database.settings.url }),
};
await writeFile(join(folder, 'config', 'service.yaml'), `proxies: 1\nlisten: { drain: ${values.drain}s }\n`);
const start = (instance: number) => startService({ ...env, HYGIE_PORT: String(instance) });

const instances: Running[] = [];
for (const instance of ports) instances.push(await start(instance));
const keepAlive = Number(values.keepalive);
const proxy = NGINX
  ? await startNginx(join(folder, 'nginx'), port, ports, keepAlive)
  : await startRoundRobin(port, ports, keepAlive);
try {
  await run();
} finally {
  await proxy.stop();
  for (const { stop } of instances) await stop();
  await database.remove();
  await stopPostgres();
  await rm(folder, { recursive: true, force: true });
}

async function run(): Promise<void> {
  const token = await accessToken(env.HYGIE_ISSUER, await signInToHygie(env.HYGIE_ISSUER));
  const agent = new Agent({ keepAlive: true, maxSockets: PARALLEL });
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const body = `${new URLSearchParams({ client_id: 'bench', client_secret: SECRET, token })}`;
  const lost = new Map<string, number>();
  const started = performance.now();
  let sent = 0;
  let restarts = 0;
  const worker = async () => {
    while (sent < POSTS) {
      sent += 1;
      const outcome = await send(agent, `${env.HYGIE_ISSUER}/oauth/introspect`, {
        method: 'POST',
        headers: form,
        body,
      }).then(
        (answer) =>
          answer.status === 200 && answer.body.includes('"active":true') ? undefined : `status ${answer.status}`,
        ({ code, message }: NodeJS.ErrnoException) => code ?? message,
      );
      if (outcome !== undefined) lost.set(outcome, (lost.get(outcome) ?? 0) + 1);
    }
  };
  const restart = async () => {
    for (let turn = 0; sent < POSTS; turn = (turn + 1) % ports.length) {
      await instances[turn]?.stop();
      instances[turn] = await start(ports[turn] ?? 0);
      restarts += 1;
      // nginx asks an instance that refused a connection again after `fail_timeout`; the other one has to serve until then.
      await setTimeout(FAIL_TIMEOUT);
    }
  };
  await Promise.all([restart(), ...Array.from({ length: PARALLEL }, worker)]);
  agent.destroy();
  const seconds = (performance.now() - started) / 1000;
  const all = [...lost.values()].reduce((sum, count) => sum + count, 0);
  process.stdout.write(
    `${sent} POSTs in ${Math.round(seconds)} s behind ${NGINX ? 'nginx' : 'a proxy of the test'}, ${restarts} restarts ` +
      `(drain ${values.drain} s, keepalive ${values.keepalive}, processes ${values.processes}): ${all} lost` +
      `${all > 0 ? ` (${[...lost].map(([what, count]) => `${what}: ${count}`).join(', ')})` : ''}\n`,
  );
  if (all > 0 && NGINX) process.stdout.write(await readFile(join(folder, 'nginx', 'error.log'), 'utf8'));
  process.exitCode = all > 0 ? 1 : 0;
}
