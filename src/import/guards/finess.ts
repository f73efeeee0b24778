// Guards on FINESS. Its JSON feed must have the members that the mapping needs, and each structure must be open or closed. A FINESS number
// must belong to one structure. The limit of shared numbers stands in `config/service/guard-table.ts`, the other limits in this file.

import type { FinessJsonNotes, KeyNotes } from '#import/registers/finess-json-keys.ts';
import { finessStructures } from '#import/registers/source.ts';
import type { EditionToJudge } from './measured-edition.ts';
import { limitText, type Verdict, verdict } from './verdict.ts';

/**
 * Minimum number of structures from which a guard of this file draws conclusions. Among fewer structures, a missing JSON member or a shared
 * number may be chance.
 */
const ENOUGH = 20;
/** Each needed JSON member must have a text in at least this share of the structures. */
const LEAST_FILLED = 0.1;
/**
 * A needed JSON member was probably renamed if, of the structures that have members with unknown names, at least this share has no text in
 * the needed member.
 */
const RENAMED = 0.9;
/** Maximum share of values with another JSON type than text. Such values are damaged: a number, for example, has lost its leading zeros. */
const MOST_MISFITS = 0.01;
/**
 * Maximum share of open structures among the structures with a closing date in the past. A larger share means that states or dates are
 * wrong.
 */
const MOST_REVIVED = 0.5;
const REMEDY = 'Take the file as published; if its schema has changed, Hygie needs an update';

/** Checks that FINESS JSON has the members without which structures would lose their name, address or category. */
export function guardNeededKeys({ sources }: EditionToJudge): Verdict[] {
  return jsonFiles(sources).flatMap(({ file, notes }) =>
    (['structureej', 'structureet'] as const).map((part) => {
      const lacking = lackingOf(notes[part]);
      const unknown = [...notes[part].unknown.values()].map(({ path, count }) => `${path} (${count} times)`);
      const strange =
        lacking.length > 0 && unknown.length > 0 ? `; unknown names: ${unknown.slice(0, 5).join(', ')}` : '';
      const figures = lacking.length === 0 ? 'all needed names are there' : lacking.join('; ') + strange;
      return verdict('neededKeys', {
        register: `finess ${part}`,
        passed: lacking.length === 0,
        figures: `${file}: ${figures}`,
        remedy: REMEDY,
      });
    }),
  );
}

function lackingOf({ objects, strange, keys }: KeyNotes): string[] {
  if (objects < ENOUGH) return [];
  const many = (count: number) => count >= ENOUGH && count > objects * MOST_MISFITS;
  return keys.flatMap(({ path, needed, filled, displaced, misfits, misfit }) => {
    if (!needed) return [];
    if (many(misfits)) return [`${path} is ${misfit}, ${misfits} times`];
    if (filled < objects * LEAST_FILLED) return [`${path} in ${filled} of ${objects}`];
    return many(strange) && displaced >= strange * RENAMED ? [`${path} not in ${displaced} with unknown names`] : [];
  });
}

/**
 * Finds structures with a state that is neither open nor closed, because the import cannot tell whether to keep them. Also finds too many
 * structures that are marked as open although their closing date lies in the past.
 */
export function guardUnknownState({ sources }: EditionToJudge): Verdict[] {
  return jsonFiles(sources).map(({ file, notes: { oddStates, closed } }) => {
    const odd = [...oddStates].map(([code, { count, first }]) => {
      const state = code === '' ? 'without a state' : `of the state "${code}"`;
      return `${count} structures ${state}, first in ${first}`;
    });
    if (closed.open >= ENOUGH && closed.open > closed.count * MOST_REVIVED) {
      odd.push(`${closed.open} of ${closed.count} structures with a closing date in the past (dateFermeture) are open`);
    }
    return verdict('unknownState', {
      register: 'finess',
      passed: odd.length === 0,
      figures: `${file}: ${odd.length === 0 ? 'every structure is open (A) or closed (I)' : odd.slice(-5).join('; ')}`,
      remedy: REMEDY,
    });
  });
}

/** Checks the share of FINESS numbers that several structures have. */
export function guardFusedStructures({ sources, collector, limits }: EditionToJudge): Verdict[] {
  const structures = finessStructures(sources);
  if (structures === 0) return [];
  const { count = 0, examples = [] } = collector.warnings().find(({ kind }) => kind === 'fused-structures') ?? {};
  const example = count > 0 ? `, such as ${examples[0]}` : '';
  return [
    verdict('fused', {
      register: 'finess',
      passed: count < ENOUGH || count / structures <= limits.fused,
      figures: `${count} of ${structures} numbers stand for several structures ${limitText(count, structures, limits.fused)}${example}`,
      remedy: 'Take the file as published',
    }),
  ];
}

function jsonFiles(sources: EditionToJudge['sources']): { file: string; notes: FinessJsonNotes }[] {
  return sources.flatMap(({ report, finessJson }) => (finessJson ? [{ file: report.name, notes: finessJson }] : []));
}
