// Editions to judge of which a test gives only what its guard looks at.

import { createCollector } from '#import/collect/collector.ts';
import type { BuiltEdition } from '#import/guards/measured-edition.ts';
import { sentenceOf, type Verdict } from '#import/guards/verdict.ts';
import { DEFAULT_LIMITS } from '#support/config/guards.ts';

const NONE = { added: 0, changed: 0, unchanged: 0, removed: 0 };
/** Changes of no resource, by type. */
export const NO_CHANGES = { Practitioner: NONE, Organization: NONE, PractitionerRole: NONE };

const NO_SAMPLE = { changed: [], elements: {}, compared: 0 };

/** An edition in which everything else is empty. `limits` stand beside those by default. */
export function judgedEdition({ limits, ...more }: Record<string, unknown>): BuiltEdition {
  return {
    sources: [],
    incoming: [],
    accept: [],
    history: [],
    collector: createCollector(),
    counts: { Practitioner: 0, Organization: 0, PractitionerRole: 0 },
    statistics: { columns: {}, values: {}, departments: {} },
    limits: { ...DEFAULT_LIMITS, minimum: { Practitioner: 0, Organization: 0 }, expected: [], ...(limits as object) },
    changes: NO_CHANGES,
    samples: { Practitioner: NO_SAMPLE, Organization: NO_SAMPLE, PractitionerRole: NO_SAMPLE },
    ...more,
  } as unknown as BuiltEdition;
}

/** A source of a register, by the name of its file. */
export const judgedSource = (name: string, kind: string, report: object = {}) => ({
  input: { name },
  recognised: { kind },
  report: { name, kind, lines: 100, leftOut: 0, ...report },
});

/** The edition before, of which everything else is unknown. */
export const editionBefore = (more: object = {}) => ({ before: { id: 's', editions: {}, counts: {}, ...more } });

/** Verdicts, or one, as lines: whether it is refused, notable or passed, and its sentence. */
export const told = (verdicts: Verdict | undefined | readonly Verdict[]): string[] =>
  [verdicts ?? []].flat().map((one) => {
    const outcome = one.passed ? (one.notable ? 'notable' : 'passed') : 'refused';
    return `${outcome}: ${sentenceOf(one)}`;
  });
