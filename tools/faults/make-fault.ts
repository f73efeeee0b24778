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
  /** Seconds from the first answer that was none to the last. */
  badFor: string;
  /** Seconds from the beginning of the remedy to the last answer that was none. */
  wellAfter: string;
  /** What became of the edition that was imported meanwhile. */
  renewal?: string;
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
  const logs = site.services.map((service) => [service, service.logLength()] as const);
  const { issuer, people } = site;
  const load = startLoad({ issuer, ledger, members, people, forgets: fault.forgets === true });
  const wrong: string[] = [];
  let wellAfter = Number.NaN;
  let killedAt = Number.NaN;
  let renewal: string | undefined;
  const begin = performance.now();
  try {
    await setTimeout(BEFORE * 1000);
    await until(() => WELL.every((kind) => load.answers.some((one) => one.kind === kind && one.seen === undefined)));
    let remedy = Number.NaN;
    const edition = site.pair?.renewals.begin();
    try {
      await fault.make(site);
      killedAt = site.services.map((service) => service.killedAt ?? 0).reduce((one, other) => Math.max(one, other));
      if (killedAt === 0) killedAt = performance.now();
      await setTimeout(fault.seconds * 1000);
      if (fault.ready) wrong.push(...(await notReadyAs(site, fault.ready)));
    } finally {
      remedy = performance.now();
      await fault.mend(site);
    }
    const end = performance.now();
    const well = await until(() => isWell(load, end));
    if (!well) wrong.push(`not well within ${PATIENCE} s`);
    if (edition && site.pair) {
      const { one, two } = site.pair;
      const renewed = await edition.finish([one.port, two.port], () => [...members].at(-1)?.access ?? '');
      renewal = renewed.said;
      wrong.push(...renewed.wrong);
    }
    wellAfter = Math.max(0, ...load.answers.filter(failed).map(({ at, ms }) => at + ms - remedy)) / 1000;
  } finally {
    await load.stop();
  }
  if (fault.ends) members.clear();
  const lost = await lostOf(site, ledger, [...members], {
    ...(fault.kills && { killedAt }),
    ...(fault.forgets && { last: true }),
  });
  if (fault.forgets) members.clear();
  wrong.push(...(fault.check ? await fault.check(site) : []));
  const unexpected = load.answers.flatMap(({ kind, seen }) =>
    seen === undefined || (seen === '503' && !fault.unnoticed) || fault.may?.test(seen) ? [] : [`${kind}: ${seen}`],
  );
  wrong.push(...new Set(unexpected));
  if (fault.log && !logs.some(([service, from]) => service.logLength() > from && fault.log?.test(service.logged(from))))
    wrong.push(`not in the log: ${fault.log}`);
  return {
    name: fault.name,
    how: fault.how,
    saw: sawOf(load.answers.filter(({ at }) => at >= begin)),
    badFor: badFor(load.answers.filter(({ at }) => at >= begin)),
    wellAfter: Number.isNaN(wellAfter) ? 'never' : `${wellAfter.toFixed(1)} s`,
    ...(renewal !== undefined && { renewal }),
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

function badFor(answers: readonly Answer[]): string {
  const bad = answers.filter(failed);
  if (bad.length === 0) return 'none';
  return seconds(Math.max(...bad.map(({ at, ms }) => at + ms)) - Math.min(...bad.map(({ at, ms }) => at + ms)));
}

/** `212 well (95 % within 0.04 s); 12 × 503 (search 5, sign-in 7; within 0.08 s)`. */
function sawOf(answers: readonly Answer[]): string {
  const well = answers.filter((one) => !failed(one)).map(({ ms }) => ms);
  const groups = Map.groupBy(answers.filter(failed), ({ seen = '' }) => seen.split(':')[0] ?? '');
  const bad = [...groups].map(([seen, of]) => {
    const kinds = [...Map.groupBy(of, ({ kind }) => kind)].map(([kind, { length }]) => `${kind} ${length}`).join(', ');
    return `${of.length} × ${seen} (${kinds}; within ${seconds(Math.max(...of.map(({ ms }) => ms)))})`;
  });
  const sorted = well.toSorted((one, other) => one - other);
  const p95 = sorted[Math.floor(sorted.length * 0.95)] ?? Number.NaN;
  return [`${well.length} well (95 % within ${seconds(p95)})`, ...bad].join('; ');
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`;
