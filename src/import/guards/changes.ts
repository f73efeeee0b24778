// Guards on what changed in the resources that stayed.

import { RESOURCE_TYPES } from '../../search-index/index.ts';
import type { BuiltEdition } from './measured-edition.ts';
import { percent, type Verdict, verdict } from './verdict.ts';

/** Resources below which a share of changed ones means nothing: an edit of a small directory may concern all of it. */
const LEAST_CHANGED = 200;
const LEAST_NAMES = 50;

/** Share of each type that changed. */
export function guardChanged({ changes, samples, before, limits }: BuiltEdition): Verdict[] {
  if (!before) return [];
  return RESOURCE_TYPES.map((type) => {
    const { changed } = changes[type];
    const share = changed / Math.max(1, before.counts[type]);
    const [first] = samples[type].changed;
    const example = first ? `; such as ${type}/${first.id}, ${first.elements[0]}: ${first.from} -> ${first.to}` : '';
    return verdict('changed', {
      register: type,
      passed: changed < LEAST_CHANGED || share <= limits.changed,
      figures: `${changed} of ${before.counts[type]} differ (${percent(share)}, limit ${percent(limits.changed)})${example}`,
      remedy: 'Look at the columns that fill these elements',
    });
  });
}

/** Share of people and of structures whose name changed, as the sample of changed ones has it. */
export function guardNamesChanged({ changes, samples, before, limits }: BuiltEdition): Verdict[] {
  if (!before) return [];
  return (['Practitioner', 'Organization'] as const).map((type) => {
    const { compared, elements, changed: examples } = samples[type];
    const renamed = Math.round(((elements['name'] ?? 0) / Math.max(1, compared)) * changes[type].changed);
    const share = renamed / Math.max(1, before.counts[type]);
    const first = examples.find((one) => one.elements[0] === 'name');
    const example = first ? `; such as ${type}/${first.id}: ${first.from} -> ${first.to}` : '';
    return verdict('namesChanged', {
      register: type,
      passed: renamed < LEAST_NAMES || share <= limits.namesChanged,
      figures: `${renamed} of ${before.counts[type]} names differ (${percent(share)}, limit ${percent(limits.namesChanged)})${example}`,
      remedy: 'Are columns of names swapped, empty, or of others?',
    });
  });
}
