// `npm run bench:logins`: whether the time of an answer, or of what follows it, tells who has an account (SEC-39, SEC-74).

import { mkdtemp, rm } from 'node:fs/promises';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadSettings } from '#config/index.ts';
import { hashSecret } from '#shared/crypto/secret-hash.ts';
import { openAccounts } from '#store/accounts/accounts.ts';
import { openDatabase } from '#store/database/connection.ts';
import { createPerson, type Person, type Visit } from '#support/person.ts';
import { authorization, CREDENTIALS } from '#tools/site/access.ts';
import { median, send } from '#tools/site/load.ts';
import { optionsOf } from '#tools/site/options.ts';
import { startService, writeConfig } from '#tools/site/service.ts';

const { rounds, only, after } = optionsOf(
  `npm run bench:logins [-- OPTIONS]
Asks for 40 real and 40 unknown logins in a random order over kept connections, and prints for each kind of answer the AUC of three times:
of the answer, of the next request on the same connection, and of the next question. 0.5 is a coin; each should be below 0.6. Nothing
else should run on the machine.`,
  {
    rounds: [5, 'questions for each login; 5 at most, then a login has to wait'],
    only: ['', 'answers whose name contains this'],
    after: [0, 'watch the six seconds after N real and N unknown questions for a forgotten password'],
  },
);
const EACH = 40;
const WATCHED = 6_500;

interface Question {
  path: string;
  fields: Record<string, string>;
  person: Person;
}
type Ask = (login: string) => Question;
interface Times {
  answer: number[];
  next: number[];
  question: number[];
}

const folder = await mkdtemp(join(tmpdir(), 'hygie-bench-logins-'));
const limits = { addressFailures: 100_000, networkFailures: 1_000_000, accountFailures: 1000 };
const env = await writeConfig(folder, { service: { limits } });
const service = await startService(env);
const { address } = service;
const database = openDatabase((await loadSettings(env)).database);
try {
  const passwordHash = await hashSecret('tortue violette sous la pluie');
  const real = Array.from({ length: EACH }, (_, index) => `r${index}.person@clinic.example`);
  const unknown = Array.from({ length: EACH }, (_, index) => `u${index}.person@clinic.example`);
  await openAccounts(database).create(real.map((email) => ({ email, name: 'Dr Camille Essai', passwordHash })));
  for (const [name, ask] of Object.entries(await questions())) {
    if (!name.includes(only)) continue;
    process.stdout.write(`${name}\n`);
    print(await measureAll(ask, real));
  }
  if (after > 0) await watch((await questions())['forgotten password'] as Ask, after);

  async function measureAll(ask: Ask, known: readonly string[]): Promise<[Times, Times]> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const times: [Times, Times] = [noTimes(), noTimes()];
    for (let round = -1; round < Math.min(rounds, 5); round += 1) {
      // A first round over other logins is not counted: the code is compiled by then.
      const logins = round < 0 ? unknown.map((login) => `x${login}`) : shuffled([...known, ...unknown]);
      for (const [index, login] of logins.entries()) {
        await forgetMails();
        const spent = await once(agent, ask, login, `${round}.${index}@elsewhere.example`);
        const of = times[known.includes(login) ? 0 : 1];
        if (round < 0) continue;
        of.answer.push(spent[0]);
        of.next.push(spent[1]);
        of.question.push(spent[2]);
      }
    }
    agent.destroy();
    return times;
  }

  async function watch(ask: Ask, each: number): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const slowest: [number[], number[]] = [[], []];
    const sums: [number[], number[]] = [[], []];
    for (const login of shuffled([...real.slice(0, each), ...unknown.slice(0, each)])) {
      const of = real.includes(login) ? 0 : 1;
      await timed(agent, ask(login));
      const end = performance.now() + WATCHED;
      const times: number[] = [];
      while (performance.now() < end) times.push(await timed(agent, { path: '/health/live' }));
      times.sort((one, other) => other - one);
      slowest[of].push(times[0] ?? 0);
      sums[of].push(times.slice(0, 20).reduce((sum, time) => sum + time, 0));
    }
    agent.destroy();
    process.stdout.write(`six seconds after a question for a forgotten password, ${each} and ${each}\n`);
    process.stdout.write(`  slowest request        ${line(slowest)}\n  twenty slowest         ${line(sums)}\n`);
  }
} finally {
  await database.destroy();
  await service.stop();
  await rm(folder, { recursive: true, force: true });
}

/** How each kind of answer is asked for, by its name. */
async function questions(): Promise<Record<string, Ask>> {
  const stranger = createPerson(address);
  const forgotten = await stranger.visit('/account-link/password-reset');
  const login = await stranger.visit(authorization(address, '/authorize', 'openid'));
  const member = createPerson(address);
  await member.press(await member.visit('/account/email'), 'sign-in', CREDENTIALS);
  const email = await member.visit('/account/email');
  const form = (person: Person, page: Visit, path: string, fields: (login: string) => Record<string, string>): Ask => {
    const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec(page.html) ?? [];
    return (typed) => ({ path, person, fields: { csrf, ...fields(typed) } });
  };
  const hint: Ask = (typed) => {
    const url = new URL(authorization(address, '/authorize', 'openid'));
    url.searchParams.set('login_hint', typed);
    return { path: url.pathname + url.search, person: stranger, fields: {} };
  };
  const password = 'a wrong password';
  return {
    'forgotten password': form(stranger, forgotten, '/account-link/password-reset', (typed) => ({ login: typed })),
    'another e-mail address': form(member, email, '/account/email', (typed) => ({ action: 'change', email: typed })),
    'wrong password': form(stranger, login, `${new URL(login.url).pathname}/login`, (typed) => ({
      login: typed,
      password,
    })),
    'login_hint, and the options of passkeys': hint,
  };
}

/** Milliseconds of the answer, of the next request, and of the next question, which asks about an unknown login. */
async function once(agent: Agent, ask: Ask, login: string, other: string): Promise<[number, number, number]> {
  const answer = await timed(agent, ask(login));
  const next = await timed(agent, { path: '/account-link/password-reset' });
  return [answer, next, await timed(agent, ask(other))];
}

async function timed(
  agent: Agent,
  { path, fields = {}, person }: { path: string } & Partial<Question>,
): Promise<number> {
  const cookie = [...(person?.cookies ?? [])].map(([key, value]) => `${key.split(' ')[0]}=${value}`).join('; ');
  const body = new URLSearchParams(fields).toString();
  const post = body !== '' && { method: 'POST' as const, body };
  const headers = { cookie, origin: address, 'content-type': 'application/x-www-form-urlencoded' };
  const before = performance.now();
  const { status } = await send(agent, address + path, { ...post, headers });
  const spent = performance.now() - before;
  if (status >= 400 && status !== 422) throw new Error(`${path} answers ${status}`);
  return spent;
}

/** Forgets the mails that were asked for: an account or login would have to wait after five of them. */
async function forgetMails(): Promise<void> {
  await database('rate_limits').where('key', 'like', 'mail:%').delete();
  await database('mail_queue').where({ kind: 'email-change' }).delete();
}

function noTimes(): Times {
  return { answer: [], next: [], question: [] };
}

function print([known, unknown]: [Times, Times]): void {
  for (const [name, title] of [
    ['answer', 'answer'],
    ['next', 'next request'],
    ['question', 'next question'],
  ] as const)
    process.stdout.write(`  ${title.padEnd(22)} ${line([known[name], unknown[name]])}\n`);
}

function line([known, unknown]: [number[], number[]]): string {
  const area = auc(known, unknown);
  const ms = (times: number[]) => median(times).toFixed(2).padStart(7);
  return `AUC ${Math.max(area, 1 - area).toFixed(3)}   median ms: real ${ms(known)}, unknown ${ms(unknown)}`;
}

/** How often a real login takes longer than an unknown one (Mann-Whitney). */
function auc(known: readonly number[], unknown: readonly number[]): number {
  let wins = 0;
  for (const one of known) for (const other of unknown) wins += one > other ? 1 : one === other ? 0.5 : 0;
  return wins / (known.length * unknown.length);
}

function shuffled<Item>(items: Item[]): Item[] {
  return items
    .map((item) => [Math.random(), item] as const)
    .sort(([one], [other]) => one - other)
    .map(([, item]) => item);
}
