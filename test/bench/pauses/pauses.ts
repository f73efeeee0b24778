// How long the event loop of the service is held up, phase by phase, and with everything at once: sign-ins, refreshes, introspection,
// userinfo, searches, and a rotation of all keys. SQLite.

import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { DEMO_ACCOUNTS, DEMO_PASSWORD } from '../../../seeds/demo-accounts.ts';
import { createPerson } from '../../support/person.ts';
import { accessToken, authorization, FULL_SCOPE, signInToHygie } from '../access.ts';
import { measure, send } from '../load.ts';
import { prepareWork } from '../oidc-work.ts';
import { ROOT, SECRET, startService, writeSite } from '../processes.ts';
import type { Pauses } from './recorder.ts';

const CREDENTIALS = { login: DEMO_ACCOUNTS[0]?.email ?? '', password: DEMO_PASSWORD };
const SEARCHES = [
  'name=ma',
  'name=du&address=rue',
  'identifier=819082680976',
  'address=saint&_total=accurate',
  '_count=200',
];

export async function printPauses(seconds: number): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'hygie-pauses-'));
  const told = join(folder, 'pauses');
  const recorder = pathToFileURL(join(import.meta.dirname, 'recorder.ts')).href;
  const site = await writeSite(folder);
  const env = { ...site, NODE_OPTIONS: `--import=${recorder}`, BENCH_PAUSES: told };
  const service = await startService(env);
  try {
    const { address, pid } = service;
    const work = await prepareWork(
      {
        address,
        paths: {
          authorize: '/authorize',
          token: '/oauth/token',
          introspect: '/oauth/introspect',
          userinfo: '/userinfo',
        },
        secret: SECRET,
        scope: FULL_SCOPE,
        answer: (person, page) =>
          page.html.includes('id="sign-in"') ? person.press(page, 'sign-in', CREDENTIALS) : person.press(page, 'allow'),
      },
      4,
    );
    const headers = { authorization: `Bearer ${await accessToken(address, await signInToHygie(address))}` };
    const load = (parallel: number, unit: Parameters<typeof measure>[2]) => () => measure(seconds, parallel, unit);
    let next = 0;
    const search = load(4, async (agent) => {
      const path = `/directory/v2/Practitioner?${SEARCHES[next++ % SEARCHES.length]}`;
      const { status } = await send(agent, address + path, { headers });
      if (status !== 200) throw new Error(`${path} answered ${status}`);
    });
    const signIn = load(2, async () => {
      await createPerson(address).signIn(authorization(address, '/authorize', FULL_SCOPE), CREDENTIALS);
    });
    const rotate = () =>
      promisify(execFile)(process.execPath, ['src/launch.js', 'keys', 'rotate', '--now'], {
        cwd: ROOT,
        env: { ...process.env, ...site },
      });
    const refresh = load(2, work.refresh);
    const introspect = load(2, work.introspection);
    const phases: [string, () => Promise<unknown>][] = [
      ['at rest', () => setTimeout(seconds * 1000)],
      ['sign-ins with a password', signIn],
      ['refreshes', refresh],
      ['introspection', introspect],
      ['userinfo', load(2, work.userinfo)],
      ['searches', search],
      ['rotation of all keys', () => Promise.all([rotate(), setTimeout(seconds * 1000)])],
      ['everything at once', () => Promise.all([signIn(), refresh(), introspect(), search(), rotate()])],
    ];
    const look = async (): Promise<Pauses> => {
      process.kill(pid, 'SIGUSR2');
      await setTimeout(200);
      return JSON.parse((await readFile(told, 'utf8')).trimEnd().split('\n').at(-1) ?? '') as Pauses;
    };
    process.stdout.write(`pauses of the event loop, ${seconds} s each\n`);
    for (const [name, run] of phases) {
      await look();
      await run();
      const { max, p999, waited } = await look();
      process.stdout.write(
        `  ${name.padEnd(26)} longest ${max.toFixed(1).padStart(6)} ms   p99.9 ${p999.toFixed(1).padStart(6)} ms   waited for the processor ${waited.toFixed(0).padStart(6)} ms in all\n`,
      );
    }
  } finally {
    await service.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
