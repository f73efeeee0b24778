// Guards on changes in the resources that stayed.

import { guardName } from '#config/service/guard-table.ts';
import { editionsOf } from '#import/registers/source.ts';
import { type ChangeSamples, RESOURCE_TYPES, type ResourceType } from '#search-index/index.ts';
import { RESETTING_ACCEPTANCES, sinceAccepted } from './drift.ts';
import { hasOtherForm } from './editions.ts';
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
 * Compares the share of each type that changed, in this edition and in the last 30 days, with the limits. Every structure changes if FINESS
 * comes in its other form; those changes are not counted.
 */
export function guardChanged(edition: BuiltEdition): Verdict[] {
  const { changes, samples, before, history, limits } = edition;
  if (!before) return [];
  const rewritten = rewrittenIn(edition);
  const shares = changedIn(edition);
  // The changes of the oldest edition were accepted, or are older than 30 days.
  const earlier = sinceAccepted(history, [...RESETTING_ACCEPTANCES, guardName('changed')]).slice(0, -1);
  return RESOURCE_TYPES.map((type) => {
    const changed = changes[type].changed - rewritten[type];
    const share = shares[type] ?? 0;
    const inAll = earlier.reduce((sum, { statistics }) => sum + (statistics.changed?.[type] ?? 0), share);
    const mostInAll = CHANGED_IN_30_DAYS * limits.changed;
    const all =
      earlier.length > 0 ? `, ${percent(inAll)} in ${earlier.length + 1} editions, limit ${percent(mostInAll)}` : '';
    const beside = rewritten[type] > 0 ? `, beside ${rewritten[type]} by the other form of FINESS (text or JSON)` : '';
    const [first] = samples[type].changed;
    const example = first ? `; such as ${type}/${first.id}, ${changeText(first)}` : '';
    return verdict('changed', {
      register: type,
      passed: changed < LEAST_CHANGED || (share <= limits.changed && inAll <= mostInAll),
      figures: `${changed} of ${before.counts[type]} differ (${percent(share)}, limit ${percent(limits.changed)}${all})${beside}${example}`,
      remedy: 'Look at the columns that fill these elements',
    });
  });
}

/** Factor of one edition's limit that changes may add up to in 30 days. */
const CHANGED_IN_30_DAYS = 4;

/** Share (0-1) of the resources before that differ, by type. */
export function changedIn(edition: BuiltEdition): Record<string, number> {
  const rewritten = rewrittenIn(edition);
  return Object.fromEntries(
    RESOURCE_TYPES.map((type) => {
      const { changed, unchanged, removed } = edition.changes[type];
      return [type, (changed - rewritten[type]) / Math.max(1, changed + unchanged + removed)];
    }),
  );
}

/** Number of resources by type that changed because FINESS comes in its other form. */
function rewrittenIn(edition: BuiltEdition): Record<ResourceType, number> {
  const structures = hasOtherForm(edition) ? finessStructures(edition) : 0;
  return {
    Practitioner: 0,
    Organization: Math.min(structures, edition.changes.Organization.changed),
    PractitionerRole: 0,
  };
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

/** Compares how many resources of those with an element differ in it, as estimated from the sample. FINESS in its other form is not compared. */
export function guardElements(edition: BuiltEdition): Verdict[] {
  const { changes, samples, statistics, before, limits } = edition;
  if (!before) return [];
  const otherForm = hasOtherForm(edition);
  return RESOURCE_TYPES.flatMap((type) => {
    const { compared, elements, changed: examples } = samples[type];
    const now = statistics.elements?.[type] ?? {};
    const earlier = before.statistics?.elements?.[type];
    if (!earlier || (type === 'Organization' && otherForm)) return [];
    return Object.entries(now).map(([element, count]) => {
      const holders = Math.max(count, earlier[element] ?? 0);
      const differing = Math.round(((elements[element] ?? 0) / Math.max(1, compared)) * changes[type].changed);
      const first = examples.find((one) => one.elements[0] === element);
      return verdict('elements', {
        register: type,
        passed: differing < LEAST_CHANGED || differing <= limits.elements * holders,
        figures: `${element}: about ${differing} of ${holders} differ (${percent(differing / Math.max(1, holders))}, limit ${percent(limits.elements)})${first ? `; such as ${type}/${first.id}, ${changeText(first)}` : ''}`,
        remedy: 'Is a column shifted or sorted apart from the others? Take the file as published',
      });
    });
  });
}
