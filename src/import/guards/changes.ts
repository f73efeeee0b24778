// Guards on changes in the resources that stayed.

import { guardName } from '#config/service/guard-table.ts';
import { JSON_ESTABLISHMENT } from '#import/registers/finess-json-columns.ts';
import { editionsOf } from '#import/registers/source.ts';
import { type ChangeSamples, RESOURCE_TYPES } from '#search-index/index.ts';
import { RESETTING_ACCEPTANCES, sinceAccepted } from './drift.ts';
import type { BuiltEdition } from './measured-edition.ts';
import { percent, type Verdict, verdict } from './verdict.ts';

/** Number of changed resources below which the share is ignored: one edit of a small directory may affect all of it. */
const LEAST_CHANGED = 200;
const LEAST_NAMES = 50;

/** `telecom: nothing -> [{"system":"phone", ...` */
export function changeText({ elements, from, to }: ChangeSamples['changed'][number]): string {
  return `${elements[0]}: ${from || 'nothing'} -> ${to || 'nothing'}`;
}

/**
 * Compares the share of each type that changed with the limit. Every structure changes if FINESS comes in its other form; those changes are
 * not counted.
 */
export function guardChanged(edition: BuiltEdition): Verdict[] {
  const { changes, samples, before, limits } = edition;
  if (!before) return [];
  const rewritten = hasOtherForm(edition) ? finessStructures(edition) : 0;
  return RESOURCE_TYPES.map((type) => {
    const expected = type === 'Organization' ? Math.min(rewritten, changes[type].changed) : 0;
    const changed = changes[type].changed - expected;
    const share = changed / Math.max(1, before.counts[type]);
    const beside = expected > 0 ? `, beside ${expected} by the other form of FINESS (text or JSON)` : '';
    const [first] = samples[type].changed;
    const example = first ? `; such as ${type}/${first.id}, ${changeText(first)}` : '';
    return verdict('changed', {
      register: type,
      passed: changed < LEAST_CHANGED || share <= limits.changed,
      figures: `${changed} of ${before.counts[type]} differ (${percent(share)}, limit ${percent(limits.changed)})${beside}${example}`,
      remedy: 'Look at the columns that fill these elements',
    });
  });
}

/** Tells whether FINESS changed from text to JSON, or the reverse. The two differ in labels and parts of addresses. */
function hasOtherForm({ statistics, before }: BuiltEdition): boolean {
  const [now, earlier] = [statistics, before?.statistics].map((one) => one?.columns['finess structureet']);
  if (!now || !earlier) return false;
  const isJson = (columns: object) => JSON_ESTABLISHMENT.some(({ label }) => label in columns);
  return isJson(now) !== isJson(earlier);
}

function finessStructures({ sources }: BuiltEdition): number {
  const finess = Object.entries(editionsOf(sources)).filter(([register]) => register.startsWith('finess '));
  return finess.reduce((sum, [, { lines }]) => sum + lines, 0);
}

/** Types whose resources have a name of their own. */
const NAMED = ['Practitioner', 'Organization'] as const;
/** Factor of one edition's limit that may be reached in 30 days. */
const IN_30_DAYS = 2;

/** Estimates from the sample of changed resources how many of each type have a new name. */
export function renamedIn({ changes, samples }: Pick<BuiltEdition, 'changes' | 'samples'>): Record<string, number> {
  return Object.fromEntries(
    NAMED.map((type) => {
      const { compared, elements } = samples[type];
      return [type, Math.round(((elements['name'] ?? 0) / Math.max(1, compared)) * changes[type].changed)];
    }),
  );
}

/**
 * Compares the share of people and structures with another name, in this edition and in the last 30 days, with the
 * limits.
 */
export function guardNamesChanged(edition: BuiltEdition): Verdict[] {
  const { samples, before, history, limits } = edition;
  if (!before) return [];
  const now = renamedIn(edition);
  // The changes of the oldest edition were accepted, or are older than 30 days.
  const earlier = sinceAccepted(history, [...RESETTING_ACCEPTANCES, guardName('namesChanged')]).slice(0, -1);
  return NAMED.map((type) => {
    const renamed = now[type] ?? 0;
    const inAll = earlier.reduce((sum, { statistics }) => sum + (statistics.renamed?.[type] ?? 0), renamed);
    const [share, shareInAll] = [renamed, inAll].map((count) => count / Math.max(1, before.counts[type])) as [
      number,
      number,
    ];
    const first = samples[type].changed.find((one) => one.elements[0] === 'name');
    const example = first ? `; such as ${type}/${first.id}, ${changeText(first)}` : '';
    const all = `, ${inAll} in ${earlier.length + 1} editions (${percent(shareInAll)}, limit ${percent(IN_30_DAYS * limits.namesChanged)})`;
    return verdict('namesChanged', {
      register: type,
      passed: inAll < LEAST_NAMES || (share <= limits.namesChanged && shareInAll <= IN_30_DAYS * limits.namesChanged),
      figures: `${renamed} of ${before.counts[type]} names differ (${percent(share)}, limit ${percent(limits.namesChanged)})${earlier.length > 0 ? all : ''}${example}`,
      remedy: 'Are columns of names swapped, empty, or of others?',
    });
  });
}

export function guardElements(_edition: BuiltEdition): Verdict[] {
  return [];
}
