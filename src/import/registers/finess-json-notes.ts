// What was seen of the names in a file of FINESS JSON, as plain data for warnings and guards.

/** Of one name of the table. */
export interface KeyUse {
  /** As published, behind the names that lead to it. */
  path: string;
  needed: boolean;
  mapped: boolean;
  /** Objects that have a text there. */
  filled: number;
  /** Objects that have none there, and have unknown names instead. */
  displaced: number;
  /** How often something else stands there, and what the first was. */
  misfits: number;
  misfit?: string;
}

/** Of a name that is in no table, or is spelled otherwise there. */
export interface OddKey {
  path: string;
  count: number;
  first: string;
}

/** Of the names of all objects of one kind. */
export interface KeyNotes {
  objects: number;
  /** Objects with unknown names. */
  strange: number;
  keys: readonly KeyUse[];
  unknown: ReadonlyMap<string, OddKey>;
  respelled: ReadonlyMap<string, OddKey>;
}

export interface FinessJsonNotes {
  structureej: KeyNotes;
  structureet: KeyNotes;
  /** Names at the root that nobody knows. */
  rootNames: Set<string>;
  /** Structures by a state that is neither A nor I; empty where they have none. */
  oddStates: Map<string, { count: number; first: string }>;
  /** Structures whose closing date lies before the date of the file, and how many of them are open all the same. */
  closed: { count: number; open: number };
}
