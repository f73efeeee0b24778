// What attacks on the sign-in do to others, with the costs of production (SEC-59): `node tools/bench/sign-in-floods.ts`. A flood from one
// network, guesses at a known address, and wrong client secrets after a restart. Prints counts; judges nothing.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { DEMO_ACCOUNTS, DEMO_PASSWORD } from '#seeds/demo-accounts.ts';
import { createPerson, type Person } from '#support/person.ts';
import { authorization } from '#tools/site/access.ts';
import { type Running, succeed } from '#tools/site/processes.ts';
import { CALLBACK, SECRET, startService, writeConfig } from '#tools/site/service.ts';

/** Requests that a flood keeps in flight: more than there are places for passwords and for client secrets. */
const FLOODERS = 300;
const VICTIMS = 8;
const REAL_REQUESTS = 20;

const folder = await mkdtemp(join(tmpdir(), 'hygie-floods-'));
const { secret, hash } = JSON.parse(await succeed(['clients', 'secret', '--json'])) as { secret: string; hash: string };
const machine = { type: 'server', callbackUrls: [CALLBACK], scopes: ['openid', 'email'], serviceAccount: true };
const env = await writeConfig(folder, {
  client: { serviceAccount: true },
  others: [{ ...machine, id: 'generated', name: 'Generated secret', secrets: [{ hash }] }],
  service: { proxies: 1 },
});
let service = await startService(env);
try {
  await strangersAtAnAccount(service);
  await floodOfPasswords(service);
  // As after a restart: no secret was verified by this process, nothing was counted in its memory.
  await service.stop();
  service = await startService(env);
  await floodOfSecrets(service);
} finally {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
}

/** A browser behind a proxy; `from` gives its address for each request. */
const at = (running: Running, address: string) => browser(running, () => address);

function browser({ address }: Running, from: () => string): Person {
  return createPerson(new URL(address).origin, (url, init) =>
    fetch(url, { ...init, redirect: 'manual', headers: { ...init.headers, 'x-forwarded-for': from() } }),
  );
}

async function enter(running: Running, person: Person, login: string, password: string): Promise<number> {
  const page = await person.visit(`${authorization(running.address)}&prompt=login`);
  const next = await person.press(page, 'sign-in', { login, password });
  return next.left ? 200 : next.status;
}

async function strangersAtAnAccount(running: Running): Promise<void> {
  const login = DEMO_ACCOUNTS[8]?.email ?? '';
  const known = at(running, '198.51.100.7');
  await enter(running, known, login, DEMO_PASSWORD);
  for (let guess = 0; guess < 10; guess += 1) {
    await enter(running, at(running, `10.${guess}.0.1`), login, 'not the password');
  }
  const unknown = await enter(running, at(running, '198.51.100.8'), login, DEMO_PASSWORD);
  report('ten wrong passwords for a known address, then the right one', {
    'known browser': await enter(running, known, login, DEMO_PASSWORD),
    'unknown browser': unknown,
  });
}

async function floodOfPasswords(running: Running): Promise<void> {
  let flooding = true;
  const heard: number[] = [];
  const address = () => `2001:db8:aa:${(0xbb00 + Math.floor(Math.random() * 256)).toString(16)}::1`;
  const flood = Array.from({ length: FLOODERS }, async () => {
    const person = browser(running, address);
    const page = await person.visit(authorization(running.address));
    while (flooding) {
      const login = `${Math.random()}@nowhere.example`;
      heard.push((await person.press(page, 'sign-in', { login, password: 'not the password' })).status);
    }
  });
  await setTimeout(4000);
  const victims: number[] = [];
  const waited: number[] = [];
  for (let victim = 0; victim < VICTIMS; victim += 1) {
    const started = performance.now();
    const person = at(running, `192.0.${victim}.1`);
    victims.push(await enter(running, person, DEMO_ACCOUNTS[victim]?.email ?? '', DEMO_PASSWORD));
    waited.push((performance.now() - started) / 1000);
  }
  flooding = false;
  await Promise.all(flood);
  report(`${FLOODERS} at a time from one IPv6 /56; ${VICTIMS} victims of other networks, one by one`, {
    victims: counts(victims),
    'longest wait (s)': Math.max(...waited).toFixed(1),
    flood: counts(heard),
  });
}

async function floodOfSecrets({ address }: Running): Promise<void> {
  const ask = async (from: string, id: string, value: string): Promise<number> => {
    const body = new URLSearchParams({
      grant_type: 'client_credentials',
      scope: 'email',
      client_id: id,
      client_secret: value,
    });
    const answer = await fetch(`${address}/oauth/token`, {
      method: 'POST',
      body,
      headers: { 'x-forwarded-for': from },
    });
    await answer.body?.cancel();
    return answer.status;
  };
  let flooding = true;
  const heard: number[] = [];
  const flood = Array.from({ length: FLOODERS }, async () => {
    while (flooding) {
      const subnet = (0xbb00 + Math.floor(Math.random() * 256)).toString(16);
      heard.push(await ask(`2001:db8:aa:${subnet}::1`, 'bench', `${Math.random()}-wrong`));
    }
  });
  await setTimeout(500);
  const real = async (id: string, value: string) =>
    counts(await Promise.all(Array.from({ length: REAL_REQUESTS }, () => ask('198.51.100.9', id, value))));
  const [generated, chosen] = [await real('generated', secret), await real('bench', SECRET)];
  flooding = false;
  await Promise.all(flood);
  report(
    `a restart, then ${FLOODERS} wrong client secrets at a time from one IPv6 /56; ${REAL_REQUESTS} real requests each`,
    {
      'generated secret': generated,
      'chosen secret': chosen,
      flood: counts(heard),
    },
  );
}

function counts(statuses: readonly number[]): string {
  const of = Map.groupBy(statuses, (status) => status);
  return [...of].map(([status, all]) => `${all.length} x ${status}`).join(', ');
}

function report(title: string, figures: Record<string, string | number>): void {
  const lines = Object.entries(figures).map(([name, value]) => `  ${name}: ${value}\n`);
  process.stdout.write(`${title}\n${lines.join('')}\n`);
}
