// Guards on changes in the resources that are in both editions. Their limits are in `config/service/guard-table.ts`.

import { guardName } from '#config/service/guard-table.ts';
import { finessStructures } from '#import/registers/source.ts';
import { type ChangeSamples, RESOURCE_TYPES, type ResourceType } from '#search-index/index.ts';
import { changedSinceAccepted } from './drift.ts';
import { hasOtherForm } from './editions.ts';
import type { BuiltEdition } from './measured-edition.ts';
import { limitText, percent, type Verdict, verdict } from './verdict.ts';

/**
 * If fewer resources or names than this have changed, the edition is not refused for it, because in a small directory a single edit may
 * affect a large share.
 */
const LEAST_CHANGED = 200;
const LEAST_NAMES = 50;

/** Describes a change as an element and what only one side has: `address: 69003 LYON -> 75011 PARIS` */
export function changeText({ elements, from, to }: ChangeSamples['changed'][number]): string {
  return `${elements[0]}: ${from || 'nothing'} -> ${to || 'nothing'}`;
}

/**
 * Checks for each type whether too many resources have changed, in this edition alone and in all editions of the last 30 days. If FINESS
 * comes in its other form (text instead of JSON, or the reverse), every structure changes. These changes are not counted.
 */
export function guardChanged(edition: BuiltEdition): Verdict[] {
  const { changes, samples, before, history, limits } = edition;
  if (!before) return [];
  const shares = changedIn(edition);
  const earlier = changedSinceAccepted(history, guardName('changed'));
  return RESOURCE_TYPES.map((type) => {
    const rewritten = rewrittenOf(type, edition);
    const changed = changes[type].changed - rewritten;
    const share = shares[type] ?? 0;
    const inAll = earlier.reduce((sum, { statistics }) => sum + (statistics.changed?.[type] ?? 0), share);
    const mostInAll = CHANGED_IN_30_DAYS * limits.changed;
    const all =
      earlier.length > 0 ? `, ${percent(inAll)} in ${earlier.length + 1} editions, limit ${percent(mostInAll)}` : '';
    const beside = rewritten > 0 ? `, beside ${rewritten} by the other form of FINESS (text or JSON)` : '';
    return verdict('changed', {
      register: type,
      passed: changed < LEAST_CHANGED || (share <= limits.changed && inAll <= mostInAll),
      figures: `${changed} of ${before.counts[type]} differ (${percent(share)}, limit ${percent(limits.changed)}${all})${beside}${exampleOf(type, samples[type].changed[0])}`,
      remedy: 'Look at the columns that fill these elements',
    });
  });
}

/** The shares of changed resources in 30 days may add up to this many times the limit for one edition. */
const CHANGED_IN_30_DAYS = 4;

/** Returns for each type the share (0-1) of the resources of the previous edition that differ now. */
export function changedIn(edition: BuiltEdition): Record<string, number> {
  return Object.fromEntries(
    RESOURCE_TYPES.map((type) => {
      const { changed, unchanged, removed } = edition.changes[type];
      return [type, (changed - rewrittenOf(type, edition)) / Math.max(1, changed + unchanged + removed)];
    }),
  );
}

/** Returns the number of resources that changed only because FINESS now comes as JSON instead of text, or the reverse. */
function rewrittenOf(type: ResourceType, edition: BuiltEdition): number {
  if (type !== 'Organization' || !hasOtherForm(edition)) return 0;
  return Math.min(finessStructures(edition.sources), edition.changes[type].changed);
}

type Changes = Pick<BuiltEdition, 'changes' | 'samples'>;

/** Estimates the number of resources of a type that differ in this element. The estimate comes from a sample of the changed resources. */
function differingIn(element: string, type: ResourceType, { changes, samples }: Changes): number {
  const { compared, elements } = samples[type];
  return Math.round(((elements[element] ?? 0) / Math.max(1, compared)) * changes[type].changed);
}

function exampleOf(type: ResourceType, example: ChangeSamples['changed'][number] | undefined): string {
  return example ? `; such as ${type}/${example.id}, ${changeText(example)}` : '';
}

/** Types of resources that have a name. */
const NAMED = ['Practitioner', 'Organization'] as const;
/** The numbers of changed names in 30 days may add up to this many times the limit for one edition. */
const IN_30_DAYS = 2;

/** Estimates for each type how many resources have another name than in the previous edition. */
export function renamedIn(edition: Changes): Record<string, number> {
  return Object.fromEntries(NAMED.map((type) => [type, differingIn('name', type, edition)]));
}

/** Checks whether too many people and structures have a new name, in this edition alone and in all editions of the last 30 days. */
export function guardNamesChanged(edition: BuiltEdition): Verdict[] {
  const { samples, before, history, limits } = edition;
  if (!before) return [];
  const now = renamedIn(edition);
  const earlier = changedSinceAccepted(history, guardName('namesChanged'));
  return NAMED.map((type) => {
    const renamed = now[type] ?? 0;
    const inAll = earlier.reduce((sum, { statistics }) => sum + (statistics.renamed?.[type] ?? 0), renamed);
    const size = Math.max(1, before.counts[type]);
    const mostInAll = IN_30_DAYS * limits.namesChanged;
    const first = samples[type].changed.find((one) => one.elements[0] === 'name');
    const all = `, ${inAll} in ${earlier.length + 1} editions ${limitText(inAll, size, mostInAll)}`;
    return verdict('namesChanged', {
      register: type,
      passed: inAll < LEAST_NAMES || (renamed / size <= limits.namesChanged && inAll / size <= mostInAll),
      figures: `${renamed} of ${before.counts[type]} names differ ${limitText(renamed, size, limits.namesChanged)}${earlier.length > 0 ? all : ''}${exampleOf(type, first)}`,
      remedy: 'Are columns of names swapped, empty, or of others?',
    });
  });
}

/**
 * The elements that `guardElements` compares. Names are not among them, because they have a guard of their own. Other elements hardly
 * change unless one of these does.
 */
const COMPARED = [
  ...['telecom', 'address', 'qualification'].map((element) => `Practitioner.${element}`),
  ...['telecom', 'address', 'type', 'partOf'].map((element) => `Organization.${element}`),
];

/** Limits for the type of a structure. They are as low as those of names, because a structure hardly ever becomes one of another type. */
const OF_TYPE = { limit: 0.01, least: LEAST_NAMES };

/**
 * Checks for each element whether it differs in too many resources. The limit is a share of the resources that have the element. Structures
 * are not checked if FINESS has changed from text to JSON or back.
 */
export function guardElements(edition: BuiltEdition): Verdict[] {
  const { samples, statistics, before, limits } = edition;
  const earlier = before?.statistics?.elements;
  if (!earlier) return [];
  const otherForm = hasOtherForm(edition);
  return COMPARED.flatMap((key) => {
    const count = statistics.elements?.[key];
    if (count === undefined) return [];
    const [type, element] = key.split('.') as [ResourceType, string];
    if (type === 'Organization' && otherForm) return [];
    const holders = Math.max(count, earlier[key] ?? 0);
    const differing = differingIn(element, type, edition);
    const first = samples[type].changed.find((one) => one.elements[0] === element);
    const { limit, least } = element === 'type' ? OF_TYPE : { limit: limits.elements, least: LEAST_CHANGED };
    return verdict('elements', {
      register: type,
      passed: differing < least || differing <= limit * holders,
      figures: `${element}: about ${differing} of ${holders} differ ${limitText(differing, holders, limit)}${exampleOf(type, first)}`,
      remedy: 'Is a column shifted or sorted apart from the others? Take the file as published',
    });
  });
}
