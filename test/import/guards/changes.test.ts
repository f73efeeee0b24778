// Issue "nothing guards what changed": which share of changed resources is refused, on the day of another form of FINESS, too.

import { expect, it } from '@jest/globals';
import { guardChanged } from '#import/guards/changes.ts';
import type { BuiltEdition } from '#import/guards/measured-edition.ts';
import { DEFAULT_LIMITS } from '#support/config/guards.ts';

const TEXT = { nofinesset: 1, telephone: 1 };
const JSON_FLOW = { 'informationsGeneralesEGE.numFinessEge': 1 };
const NONE = { added: 0, changed: 0, removed: 0 };

/** Verdicts that did not pass where so many of 2000 organizations changed; FINESS holds 500. */
function refused(changed: number, now: object, before: object): string[] {
  const columns = (finess: object) => ({ columns: { 'finess structureet': finess } });
  const sample = { changed: [], elements: {}, compared: 0 };
  const parts = { structureet: 300, structureej: 200 };
  const edition = {
    limits: DEFAULT_LIMITS,
    changes: { Practitioner: NONE, Organization: { ...NONE, changed }, PractitionerRole: NONE },
    samples: { Practitioner: sample, Organization: sample, PractitionerRole: sample },
    statistics: columns(now),
    before: { counts: { Practitioner: 0, Organization: 2000, PractitionerRole: 0 }, statistics: columns(before) },
    sources: [{ recognised: { kind: 'finess' }, report: { name: 'f', kind: 'finess', lines: 500, parts } }],
  } as unknown as BuiltEdition;
  return guardChanged(edition).flatMap(({ passed, register = '' }) => (passed ? [] : [register]));
}

it('more changed organizations than the limit are refused', () => {
  expect(refused(400, TEXT, TEXT)).toEqual([]);
  expect(refused(401, TEXT, TEXT)).toEqual(['Organization']);
  expect(refused(401, JSON_FLOW, JSON_FLOW)).toEqual(['Organization']);
});

it('where FINESS is JSON after text, with text beside it or not, or text after JSON, its structures are expected to change', () => {
  for (const [now, before] of [
    [JSON_FLOW, TEXT],
    [{ ...TEXT, ...JSON_FLOW }, TEXT],
    [TEXT, JSON_FLOW],
  ] as const) {
    expect(refused(900, now, before)).toEqual([]);
    expect(refused(901, now, before)).toEqual(['Organization']);
  }
});
