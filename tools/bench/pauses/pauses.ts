// How long the event loop of the service is held up, phase by phase, and with everything at once: sign-ins, sign-outs that clients are
// told of, refreshes, introspection, userinfo, searches, switches of the directory, a rotation of all keys, and the clean-up. SQLite.

import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';
import { startLogoutReceiver } from '#support/openid/logout-receiver.ts';
import { createPerson } from '#support/person.ts';
import { expiredIn, fillWithExpired } from '#tools/bench/expired-records.ts';
import { hygieServer, prepareWork } from '#tools/bench/sign-in/oidc-work.ts';
import { accessToken, authorization, CREDENTIALS, redeem, signIn } from '#tools/site/access.ts';
import { measure, send, type Unit } from '#tools/site/load.ts';
import { ROOT, type Running, succeed } from '#tools/site/processes.ts';
import { startService, writeConfig } from '#tools/site/service.ts';
import type { Pauses } from './recorder.ts';

const SEARCHES = [
  'name=ma',
  'name=du&address=rue',
  'identifier=819082680976',
  'address=saint&_total=accurate',
  '_count=200',
];
/** Expired records: the clean-up has work for as long as the phases last. */
const EXPIRED = 400_000;
const GOODBYE = 'https://bench.example/goodbye';

export async function printPauses(seconds: number): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'hygie-pauses-'));
  const receiver = await startLogoutReceiver();
  try {
    const site = await writeConfig(folder, { client: { backchannelLogoutUrl: receiver.url, logoutUrls: [GOODBYE] } });
    const database = join(folder, 'data', 'hygie.sqlite');
    // The first start makes keys, database and directory.
    await (await startService(site)).stop();
    await importAnother(folder, site);
    process.stdout.write(
      `pauses of the event loop, ${seconds} s each; those with * while expired records are removed\n`,
    );
    const phasesIn = async (cleaned: boolean, names: readonly string[]) => {
      const recorder = pathToFileURL(join(import.meta.dirname, 'recorder.ts')).href;
      const told = join(folder, 'pauses');
      const env = { ...site, NODE_OPTIONS: `--import=${recorder}`, BENCH_PAUSES: told };
      const service = await startService(env);
      try {
        const phases = await phasesOf(service, seconds, site);
        const look = () => lookAt(service.pid, told);
        for (const name of names) {
          await look();
          await phases[name]?.();
          print(cleaned ? `* ${name}` : name, await look());
        }
      } finally {
        await service.stop();
      }
    };
    const all = 'everything at once';
    await phasesIn(false, [...SINGLE, all]);
    fillWithExpired(database, EXPIRED);
    await phasesIn(true, ['at rest', all]);
    process.stdout.write(
      `  ${receiver.received.length} logout tokens were delivered, ${EXPIRED - expiredIn(database)} expired records were removed\n`,
    );
  } finally {
    await receiver.close();
    await rm(folder, { recursive: true, force: true });
  }
}

const SINGLE = [
  'at rest',
  'sign-ins with a password',
  'sign-outs, with back-channel',
  'refreshes',
  'introspection',
  'userinfo',
  'searches',
  'switches of the directory',
  'rotation of all keys',
];

async function phasesOf(
  { address, pid }: Running,
  seconds: number,
  env: Record<string, string>,
): Promise<Record<string, () => Promise<unknown>>> {
  const work = await prepareWork(hygieServer(address), 4);
  const headers = { authorization: `Bearer ${await accessToken(address)}` };
  const load = (parallel: number, unit: Unit) => () => measure(seconds, parallel, { pid, unit });
  let next = 0;
  const searches = load(4, async (agent) => {
    const path = `/directory/v2/Practitioner?${SEARCHES[next++ % SEARCHES.length]}`;
    const { status } = await send(agent, address + path, { headers });
    if (status !== 200) throw new Error(`${path} answered ${status}`);
  });
  const signOut = async () => {
    const person = createPerson(address);
    const callback = await person.signIn(authorization(address), CREDENTIALS);
    const answer = await fetch(
      `${address}/oauth/token`,
      redeem(callback.searchParams.get('code') ?? '') as RequestInit,
    );
    const { id_token } = (await answer.json()) as { id_token: string };
    const query = new URLSearchParams({ id_token_hint: id_token, post_logout_redirect_uri: GOODBYE });
    const { left, status } = await person.visit(`${address}/logout?${query}`);
    if (left?.href !== GOODBYE) throw new Error(`the sign-out answered ${status}`);
  };
  const phases = {
    'at rest': () => setTimeout(seconds * 1000),
    'sign-ins with a password': load(2, async () => void (await signIn(address))),
    'sign-outs, with back-channel': load(2, signOut),
    refreshes: load(2, work.refresh),
    introspection: load(2, work.introspection),
    userinfo: load(2, work.userinfo),
    searches,
    // One after the other: each command ends when the pointer has moved, and the service notices within a second.
    'switches of the directory': load(1, () =>
      succeed(['directory', 'rollback'], { env }).then(() => setTimeout(1000)),
    ),
    'rotation of all keys': () =>
      Promise.all([succeed(['keys', 'rotate', '--now'], { env }), setTimeout(seconds * 1000)]),
  };
  return { ...phases, 'everything at once': () => Promise.all(Object.values(phases).map((phase) => phase())) };
}

async function lookAt(pid: number, told: string): Promise<Pauses> {
  process.kill(pid, 'SIGUSR2');
  await setTimeout(200);
  return JSON.parse((await readFile(told, 'utf8')).trimEnd().split('\n').at(-1) ?? '') as Pauses;
}

function print(name: string, { max, p999, own, collection, waited }: Pauses): void {
  const ms = (value: number) => `${value.toFixed(1).padStart(6)} ms`;
  process.stdout.write(
    `  ${name.padEnd(29)} longest ${ms(max)}, of its own ${ms(own)}   p99.9 ${ms(p999)}   longest collection ${ms(collection)}   waited for the processor ${waited.toFixed(0).padStart(6)} ms in all\n`,
  );
}

/** Imports the demonstration's edition without its last diploma; the one before is then the previous one. */
async function importAnother(folder: string, env: Record<string, string>): Promise<void> {
  const shipped = join(ROOT, 'seeds', 'edition');
  const edition = join(folder, 'edition');
  await mkdir(edition);
  for (const name of await readdir(shipped)) {
    if (!name.includes('_Dipl_')) {
      await copyFile(join(shipped, name), join(edition, name));
      continue;
    }
    const lines = gunzipSync(await readFile(join(shipped, name)))
      .toString()
      .trimEnd()
      .split('\n');
    await writeFile(join(edition, name), gzipSync(`${lines.slice(0, -1).join('\n')}\n`));
  }
  await succeed(['directory', 'import', edition], { env });
}
