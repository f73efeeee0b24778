// Builds CodeableConcepts. Each combination of codes and labels gets one shared object, because an edition repeats a few thousand
// combinations millions of times.

import type { CodeableConcept } from 'fhir/r3.js';
import { cell, type Row } from '#import/collect/columns.ts';
import type { Warn } from '#import/collect/warnings.ts';
import { repeated } from '#search-index/index.ts';
import { CODE_SYSTEMS, DIPLOMA_SYSTEMS, SKILL_SYSTEMS } from './code-systems.ts';

export interface Concept {
  element: CodeableConcept;
  /** Text of the codes and labels, by which the concepts of a resource are sorted. */
  order: string;
}

/** Returns the concept of one or two codes with their labels, or undefined if all texts are empty. */
type ConceptKind = (code: string, label: string, code2?: string, label2?: string) => Concept | undefined;

/**
 * Makes the function for one kind of concept. `systems` returns the code system of the first code and, for kinds with two codes, that of
 * the second. It is called with the second code: for a skill or a diploma, this code is the type, and the code system of the first code
 * depends on the type.
 */
function conceptKind(systems: (code2: string) => readonly (string | undefined)[]): ConceptKind {
  // A concept is looked up by its first code and then compared with all concepts of this code. A key of all texts would be slower, because
  // hashing the long labels would cost more than everything else.
  const known = new Map<string, { label: string; code2: string; label2: string; concept: Concept }[]>();
  return (code, label, code2 = '', label2 = '') => {
    if (code === '' && label === '' && code2 === '' && label2 === '') return undefined;
    let sameCode = known.get(code);
    if (!sameCode) {
      sameCode = [];
      known.set(code, sameCode);
    }
    for (const one of sameCode) {
      if (one.label === label && one.code2 === code2 && one.label2 === label2) return one.concept;
    }
    const [system, system2] = systems(code2);
    const codes = [
      { system, code, label },
      { system: system2, code: code2, label: label2 },
    ];
    const concept = { element: repeated(elementOf(codes)), order: `${code}|${label}|${code2}|${label2}` };
    sameCode.push({ label, code2, label2, concept });
    return concept;
  };
}

/** All kinds of concepts. Each thread of an import makes its own set of them. */
export type Concepts = ReturnType<typeof createConcepts>;

export function createConcepts() {
  const { profession, category, skillType, diplomaType, field, permitType, ...systems } = CODE_SYSTEMS;
  return {
    profession: conceptKind(() => [profession, category]),
    skill: conceptKind((type) => [SKILL_SYSTEMS.get(type), skillType]),
    diploma: conceptKind((type) => [DIPLOMA_SYSTEMS.get(type), diplomaType]),
    permit: conceptKind(() => [field, permitType]),
    mode: conceptKind(() => [systems.mode]),
    genre: conceptKind(() => [systems.genre]),
    role: conceptKind(() => [systems.role]),
    section: conceptKind(() => [systems.section]),
    sector: conceptKind(() => [systems.sector]),
    category: conceptKind(() => [systems.establishmentCategory]),
    publicService: conceptKind(() => [systems.publicService]),
    legalStatus: conceptKind(() => [systems.legalStatus]),
  };
}

/** The common arguments of the mapping functions. */
export interface MappingContext {
  /** The configured namespace, {claim_ns}. */
  namespace: string;
  concepts: Concepts;
  warn: Warn;
}

/** Returns the concept of the cells in the given columns of a row, or undefined if the cells are empty. */
export function conceptOf(
  kind: ConceptKind,
  row: Row,
  code: number,
  label: number,
  code2?: number,
  label2?: number,
): Concept | undefined {
  if (code2 === undefined || label2 === undefined) return kind(cell(row, code), cell(row, label));
  return kind(cell(row, code), cell(row, label), cell(row, code2), cell(row, label2));
}

/** Returns the text of a cell as a FHIR code. Several blanks in succession become one, because a FHIR code may only have single blanks. */
export function codeOf(cell: string): string {
  return cell.replace(/ {2,}/g, ' ');
}

/** Builds the element. A coding without a known code system has no `system`. A label without a code becomes the text of the concept. */
function elementOf(codes: readonly { system: string | undefined; code: string; label: string }[]): CodeableConcept {
  const coding = codes
    .filter(({ code }) => code !== '')
    .map(({ system, code, label }) => ({
      ...(system !== undefined && { system }),
      code: codeOf(code),
      ...(label !== '' && { display: label }),
    }));
  const text = codes.find(({ code, label }) => code === '' && label !== '')?.label;
  return { ...(coding.length > 0 && { coding }), ...(text !== undefined && { text }) };
}

/** Returns each concept once. The concepts are sorted, so that the order of the lines does not matter. */
export function distinctConcepts(list: readonly (Concept | undefined)[]): CodeableConcept[] {
  const distinct: Concept[] = [];
  for (const concept of list) if (concept && !distinct.includes(concept)) distinct.push(concept);
  if (distinct.length > 1) distinct.sort((a, b) => (a.order < b.order ? -1 : 1));
  return distinct.map(({ element }) => element);
}
