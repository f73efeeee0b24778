// Counts the people of an edition: professions, elements, duplicates, names of tests, and what many people share.

import type { IndexedResource, ResourceType } from '#search-index/index.ts';
import type { Row } from './columns.ts';

/** The counts of all threads. */
export interface Measured {
  people: number;
  lines: number;
  /** People by group: `profession 50`, `speciality 10/SM26`. */
  professions: Record<string, number>;
  /** People by profession and department. */
  matrix: Record<string, Record<string, number>>;
  /** Resources by type that have an element. */
  elements: Record<ResourceType, Record<string, number>>;
  /** The structure with most people. */
  largest: { id: string; people: number };
  /** People with the name, profession and structure of another one. */
  duplicates: { people: number; groups: { ids: string[]; name: string }[] };
  /** Addresses of several people. */
  shared: { address: string; people: number }[];
  tests: { id: string; name: string }[];
  withoutPlace: { byProfession: Record<string, number>; examples: string[] };
}

/** The counts of one thread, as plain data for another one. */
export type PopulationNotes = Measured;

export interface Populations {
  /** Counts a person with the rows of the register of activities, and the first structure among them. */
  person(nationalId: string, activities: readonly Row[], structure: string | undefined): void;
  /** Counts the address of a person. */
  mailbox(address: string): void;
  element(resource: IndexedResource): void;
  notes(): PopulationNotes;
  /** Adds the counts of another thread. */
  add(notes: PopulationNotes): void;
  measured(): Measured;
}

export function createPopulations(): Populations {
  const measured: Measured = {
    people: 0,
    lines: 0,
    professions: {},
    matrix: {},
    elements: { Practitioner: {}, Organization: {}, PractitionerRole: {} },
    largest: { id: '', people: 0 },
    duplicates: { people: 0, groups: [] },
    shared: [],
    tests: [],
    withoutPlace: { byProfession: {}, examples: [] },
  };
  return {
    person: () => undefined,
    mailbox: () => undefined,
    element: () => undefined,
    notes: () => measured,
    add: () => undefined,
    measured: () => measured,
  };
}
