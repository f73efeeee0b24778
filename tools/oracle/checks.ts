// Runs checks of every kind against a service, and counts them.

import { setTimeout } from 'node:timers/promises';
import { createDraw } from '#support/draw.ts';
import type { Client } from './ask.ts';
import { compared, type Oracle, type Result } from './compare.ts';
import { misspelt } from './draws/people-write.ts';
import { anyOf, createStage } from './draws/stage.ts';
import type { Edition } from './edition/entry.ts';
import { comparedBatch, comparedCodes, comparedSuggestions } from './further.ts';
import { KINDS, type Question } from './kinds.ts';
import { learnRoles } from './learn.ts';
import { createEvaluation } from './rules/evaluate.ts';
import { readLabels } from './rules/labels.ts';
import { createOrders } from './rules/order.ts';

/** The checks of one kind. */
export interface Counted {
  kind: string;
  checks: number;
  /** Resources that the searches find, all together. */
  hits: number;
  /** Searches that were refused as too costly, and are no checks. */
  refused: number;
  differences: string[];
}

interface Choices {
  checks: number;
  seed: number;
  /** Kinds to be checked alone, by a part of their name. */
  only?: string;
  /** Milliseconds before each search that finds nothing, because a service spends a tenth of its time on help at most. */
  rest?: number;
  tell?(text: string): void;
}

/** Entries of one batch. */
const TOGETHER = 10;
/** Draws for one check: some entries have nothing for a kind. */
const PATIENCE = 300;

/** Checks the service against the edition. The same seed asks the same. */
export async function runChecks(
  client: Client,
  files: Edition,
  { checks, seed, only = '', rest = 0, tell }: Choices,
): Promise<Counted[]> {
  tell?.('learning the ids of roles');
  const { edition, differences } = await learnRoles(client, files);
  const own = await ownSystems(client);
  const labels = readLabels();
  const evaluate = createEvaluation(edition, labels, own);
  const draw = createDraw(seed);
  const stage = createStage({ edition, labels, draw, own });
  const { referring } = stage;
  const oracle: Oracle = { edition, evaluate, orders: createOrders(edition), referring };
  const roles = edition.entries.PractitionerRole.length;
  const counted: Counted[] = [
    { kind: 'roles, each once', checks: 1, hits: roles, refused: 0, differences: [...differences] },
  ];

  const question = (kind: string): Question => {
    for (let at = 0; at < PATIENCE; at++) {
      const made = KINDS[kind]?.(stage);
      if (made) return made;
    }
    throw new Error(`the edition has nothing for a check of ${kind}`);
  };
  const anyKind = () => draw.one(Object.keys(KINDS));
  const further: Record<string, () => Promise<Result | undefined>> = {
    batches: () =>
      comparedBatch(
        client,
        Array.from({ length: TOGETHER }, () => question(anyKind())),
        draw,
      ),
    'nothing found, with help': async () => {
      await setTimeout(rest);
      const type = draw.one(['Practitioner', 'Organization'] as const);
      return comparedSuggestions(client, oracle, { type, criteria: [misspelt(stage, anyOf(stage, type))] });
    },
  };
  const kinds = [...Object.keys(KINDS), ...Object.keys(further)].filter((kind) => kind.includes(only));
  if ('codes of the edition'.includes(only)) {
    const codes: Counted = { kind: 'codes of the edition', checks: 0, hits: 0, refused: 0, differences: [] };
    for (const one of await comparedCodes(client, oracle)) count(codes, one);
    counted.push(codes);
  }
  const done = counted.reduce((sum, one) => sum + one.checks, 0);
  for (const [at, kind] of kinds.entries()) {
    const wanted = Math.floor((checks - done + at) / kinds.length);
    const row: Counted = { kind, checks: 0, hits: 0, refused: 0, differences: [] };
    for (let tried = 0; row.checks < wanted && tried < wanted * PATIENCE; tried++) {
      const result = await (further[kind]?.() ??
        (kind in further ? undefined : compared(client, oracle, question(kind), draw)));
      if (result) count(row, result);
    }
    tell?.(`${kind}: ${row.checks} checks, ${row.differences.length} differences`);
    counted.push(row);
  }
  return counted;
}

function count(row: Counted, { hits, differences, isRefused }: Result): void {
  if (isRefused) row.refused++;
  else row.checks++;
  row.hits += hits;
  row.differences.push(...differences);
}

/** The beginning of the systems of the service's own identifiers, from a resource that it serves. */
async function ownSystems(client: Client): Promise<string> {
  const { bundle } = await client.get('Practitioner?_count=1');
  const { identifier = [] } = (bundle.entry?.[0]?.resource ?? {}) as { identifier?: { system?: string }[] };
  const system = identifier.find((one) => one.system?.endsWith('practitioner-rpps'))?.system ?? '';
  return system.slice(0, -'practitioner-rpps'.length);
}

/** The result as a table in Markdown, with the first differences behind it. */
export function tableOf(counted: readonly Counted[], shown = 20): string {
  const sum = (of: (one: Counted) => number) => counted.reduce((total, one) => total + of(one), 0);
  const rows = counted.map(({ kind, checks, hits, refused, differences }) => [
    kind,
    checks,
    hits,
    refused,
    differences.length,
  ]);
  const all = [
    '**all**',
    sum((one) => one.checks),
    sum((one) => one.hits),
    sum((one) => one.refused),
    sum((one) => one.differences.length),
  ];
  const table = [...rows, all].map((cells) => `| ${cells.join(' | ')} |`);
  const differences = counted.flatMap((one) => one.differences.slice(0, shown));
  return [
    '| Kind | checks | hits | refused | differences |',
    '|---|--:|--:|--:|--:|',
    ...table,
    '',
    ...differences,
  ].join('\n');
}
