// Minimum content of each register column, on any day and in any extract. A first load is compared with this table, which also names the
// values that the next edition must hold again. Shares (0-1) are far below those of the published registers, where about a sixth of the
// people has no structure and many have no civility.

interface ColumnExpectation {
  /** Least share of filled cells, of all lines or of those with a value in the column `of`. */
  floor?: number;
  /** Key of another column of the same table. */
  of?: string;
  /** Largest share of values that may look unlike their column at a first load. The default is half of them. */
  oddest?: number;
  /** True if the commonest values of one edition come again in the next: names of people, codes of nomenclatures and their labels. */
  lasting?: true;
  /** Minimum share of values with accents, for labels with a single spelling, such as "Libéral". */
  accents?: number;
  /** From this number of lines on, no single value can stand in most of them. */
  variedFrom?: number;
  /** The register cuts no value to less than this length. Values that pile up at a shorter length were cut by something else. */
  uncut?: number;
}

type Expectations = Readonly<Record<string, ColumnExpectation>>;

const ID: ColumnExpectation = { floor: 0.98 };
const NAME: ColumnExpectation = { floor: 0.98, lasting: true, variedFrom: 2000, uncut: 30 };
/** A few lines have a short number. A number that lost its leading zero becomes another number, or none. */
const NUMBER: ColumnExpectation = { oddest: 0.05 };
const LASTING: ColumnExpectation = { lasting: true };
/** All addresses of a commune that could not be located share one position, but those of a whole file do not. */
const coordinate = (variedFrom: number): ColumnExpectation => ({ variedFrom });
const labelOf = (of: string): ColumnExpectation => ({ floor: 0.9, of, lasting: true });
const whereThereIs = (of: string, floor: number): ColumnExpectation => ({ floor, of });

const ACTIVITIES: Expectations = {
  idType: { floor: 0.98, lasting: true },
  id: ID,
  nationalId: ID,
  title: LASTING,
  civility: LASTING,
  family: NAME,
  given: NAME,
  profession: { floor: 0.98, lasting: true },
  professionLabel: labelOf('profession'),
  category: { floor: 0.9, lasting: true },
  categoryLabel: labelOf('category'),
  skill: labelOf('skillType'),
  skillTypeLabel: labelOf('skillType'),
  skillLabel: labelOf('skill'),
  mode: { floor: 0.5, of: 'technicalId', lasting: true },
  modeLabel: { ...labelOf('mode'), accents: 0.2 },
  // Some numbers lose their leading zeros in a spreadsheet: one in ten of FINESS, one in thirty of the trade register.
  siret: { oddest: 0.1 },
  siren: { oddest: 0.1 },
  finess: { oddest: 0.02 },
  legalFiness: { oddest: 0.02, floor: 0.5, of: 'finess' },
  technicalId: { floor: 0.05 },
  name: { ...whereThereIs('technicalId', 0.3), uncut: 38 },
  streetTypeLabel: LASTING,
  street: { floor: 0.3, of: 'technicalId', lasting: true, uncut: 30 },
  // Foreign codes, which are rare, have four digits too.
  postalCode: { oddest: 0.03, floor: 0.75, of: 'technicalId' },
  commune: { oddest: 0.03, floor: 0.3, of: 'technicalId' },
  city: { floor: 0.4, of: 'technicalId', lasting: true, uncut: 30 },
  ...{ phone: NUMBER, phone2: NUMBER, fax: NUMBER, mail: { oddest: 0.02 } },
  sector: LASTING,
  sectorLabel: labelOf('sector'),
  sectionLabel: labelOf('section'),
  role: LASTING,
  roleLabel: labelOf('role'),
  genre: LASTING,
  genreLabel: labelOf('genre'),
};

const DIPLOMAS: Expectations = {
  nationalId: ID,
  diplomaType: { floor: 0.1, lasting: true },
  diplomaTypeLabel: { ...labelOf('diplomaType'), accents: 0.2 },
  diploma: { floor: 0.5, of: 'diplomaType', lasting: true },
  diplomaLabel: labelOf('diploma'),
  permitTypeLabel: labelOf('permitType'),
  fieldLabel: labelOf('field'),
};

const SKILLS: Expectations = {
  nationalId: ID,
  skillType: { floor: 0.9, lasting: true },
  skillTypeLabel: { ...labelOf('skillType'), accents: 0.2 },
  skill: { floor: 0.9, lasting: true },
  skillLabel: labelOf('skill'),
};

const MAILBOXES: Expectations = {
  type: { floor: 0.98, lasting: true },
  address: { ...ID, oddest: 0.02 },
  structureIdType: LASTING,
  structureId: whereThereIs('structureIdType', 0.9),
  name: whereThereIs('structureId', 0.3),
  routing: whereThereIs('structureId', 0.3),
};

/** The text files and the JSON flow share most keys. An expectation of a key that only one form has concerns that form alone. */
const STRUCTURES: Expectations = {
  finess: { floor: 0.98, oddest: 0.02 },
  shortName: { floor: 0.5, uncut: 38 },
  street: { floor: 0.3, lasting: true },
  streetType: LASTING,
  commune: { floor: 0.5 },
  routing: { floor: 0.5, oddest: 0.02 },
  ...{ x: coordinate(1000), y: coordinate(1000), latitude: coordinate(1000), longitude: coordinate(1000) },
  departmentCode: { floor: 0.5, lasting: true },
  department: { floor: 0.5, lasting: true },
};

const LEGAL_ENTITIES: Expectations = {
  ...STRUCTURES,
  siren: { floor: 0.3, oddest: 0.1 },
  status: { floor: 0.5, lasting: true },
  statusLabel: labelOf('status'),
};

const ESTABLISHMENTS: Expectations = {
  ...STRUCTURES,
  legalFiness: { floor: 0.9, oddest: 0.02 },
  phone: { floor: 0.1, ...NUMBER },
  fax: NUMBER,
  category: { floor: 0.9, lasting: true },
  categoryLabel: labelOf('category'),
  siret: { floor: 0.2, oddest: 0.1 },
  publicServiceLabel: labelOf('publicService'),
};

/** Expectations by register, as the snapshot registry names it, and by key of the column. */
const EXPECTATIONS: Readonly<Record<string, Expectations>> = {
  activities: ACTIVITIES,
  diplomas: DIPLOMAS,
  skills: SKILLS,
  mailboxes: MAILBOXES,
  'finess structureej': LEGAL_ENTITIES,
  'finess structureet': ESTABLISHMENTS,
  'finess geolocalisation': { x: coordinate(300), y: coordinate(300) },
  // FHIR files may come from anybody and leave out anything.
  'fhir Practitioner': { family: LASTING, given: LASTING },
};

const NONE: Readonly<ColumnExpectation> = {};

export function expectationOf(register: string, key: string): ColumnExpectation {
  return EXPECTATIONS[register]?.[key] ?? NONE;
}
