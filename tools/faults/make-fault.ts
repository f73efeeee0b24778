// Makes one fault under load, waits until all is well again, and asks what was lost.

import { setTimeout } from 'node:timers/promises';
import type { Fault } from './fault.ts';
import { DECIDED, lostOf, newLedger } from './load/ledger.ts';
import { type Answer, type Load, startLoad } from './load/load.ts';
import type { Kind, Member } from './load/operations.ts';
import type { Site } from './site/site.ts';

export interface Row {
  name: string;
  how: string;
  /** What clients saw while it was there, and until all was well. */
  saw: string;
  /** Seconds from the beginning of the remedy to the last answer that was none. */
  wellAfter: string;
  lost: string;
  /** What must not be. */
  wrong: string[];
}

const BEFORE = 2;
/** Seconds within which all has to be well after the end of a fault. */
const PATIENCE = 90;
const WELL: Kind[] = ['sign-in', 'refresh', 'search', 'userinfo'];

export async function makeFault(site: Site, fault: Fault, members: Set<Member>): Promise<Row> {
  const ledger = await newLedger(site);
  const from = site.service.logLength();
  const load = startLoad({ issuer: site.issuer, ledger, members, people: site.people });
  const wrong: string[] = [];
  let wellAfter = Number.NaN;
  let killedAt = Number.NaN;
  const begin = performance.now();
  try {
    await setTimeout(BEFORE * 1000);
    await until(() => WELL.every((kind) => load.answers.some((one) => one.kind === kind && one.seen === undefined)));
    let remedy = Number.NaN;
    try {
      await fault.make(site);
      killedAt = site.service.killedAt ?? performance.now();
      await setTimeout(fault.seconds * 1000);
      if (fault.ready) wrong.push(...(await notReadyAs(site, fault.ready)));
    } finally {
      remedy = performance.now();
      await fault.mend(site);
    }
    const end = performance.now();
    const well = await until(() => isWell(load, end));
    if (!well) wrong.push(`not well within ${PATIENCE} s`);
    wellAfter = Math.max(0, ...load.answers.filter(failed).map(({ at, ms }) => at + ms - remedy)) / 1000;
  } finally {
    await load.stop();
  }
  if (fault.ends) members.clear();
  const lost = await lostOf(site, ledger, [...members], {
    ...(fault.kills && { killedAt }),
  });
  wrong.push(...(fault.check ? await fault.check(site) : []));
  const unexpected = load.answers.flatMap(({ kind, seen }) =>
    seen === undefined || (seen === '503' && !fault.unnoticed) || fault.may?.test(seen) ? [] : [`${kind}: ${seen}`],
  );
  wrong.push(...new Set(unexpected));
  if (fault.log && !fault.log.test(site.service.logged(from))) wrong.push(`not in the log: ${fault.log}`);
  return {
    name: fault.name,
    how: fault.how,
    saw: sawOf(load.answers.filter(({ at }) => at >= begin)),
    wellAfter: Number.isNaN(wellAfter) ? 'never' : `${wellAfter.toFixed(1)} s`,
    lost: lost.join('; ') || 'nothing',
    wrong: [...wrong, ...lost.filter((what) => !what.startsWith(DECIDED)).map((what) => `lost: ${what}`)],
  };
}

const failed = ({ seen }: Answer) => seen !== undefined;

/** Each kind was answered well, begun after the end of the fault, and nothing begun later than that failed. */
function isWell({ answers }: Load, end: number): boolean {
  return WELL.every((kind) => {
    const later = answers.filter((one) => one.kind === kind && one.at >= end);
    return later.slice(-2).length === 2 && later.slice(-2).every((one) => !failed(one));
  });
}

async function until(condition: () => boolean): Promise<boolean> {
  const late = performance.now() + PATIENCE * 1000;
  while (!condition() && performance.now() < late) await setTimeout(100);
  return condition();
}

async function notReadyAs(site: Site, status: number): Promise<string[]> {
  const answer = await fetch(`${site.issuer}/health/ready`, { signal: AbortSignal.timeout(10_000) });
  const text = await answer.text();
  return answer.status === status ? [] : [`/health/ready said ${answer.status}: ${text.slice(0, 200)}`];
}

/** `212 well, p95 40 ms; 12 times 503 (search, sign-in), 80 ms at most`. */
function sawOf(answers: readonly Answer[]): string {
  const well = answers.filter((one) => !failed(one)).map(({ ms }) => ms);
  const groups = Map.groupBy(answers.filter(failed), ({ seen = '' }) => seen.split(':')[0] ?? '');
  const bad = [...groups].map(([seen, of]) => {
    const kinds = [...new Set(of.map(({ kind }) => kind))].join(', ');
    return `${of.length} × ${seen} (${kinds}; within ${seconds(Math.max(...of.map(({ ms }) => ms)))})`;
  });
  const sorted = well.toSorted((one, other) => one - other);
  const p95 = sorted[Math.floor(sorted.length * 0.95)] ?? Number.NaN;
  return [`${well.length} well (95 % within ${seconds(p95)})`, ...bad].join('; ');
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`;
