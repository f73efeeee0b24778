// The least content that each register column has on any day and in any extract. A first import is compared with this table, because it has
// no earlier edition. The table also tells for which columns the next edition must have the same commonest values. The shares (0-1) are far
// below those of the published registers, where about a sixth of the people has no structure and many have no civility (M, MME).

interface ColumnExpectation {
  /** Minimum share of filled cells among all lines. With `of`, it is the share among the lines that have a value in the column `of`. */
  floor?: number;
  /** Key of another column of the same register. */
  of?: string;
  /** Maximum share of values that do not look like values of this column, at a first import. The default is half of the values. */
  oddest?: number;
  /**
   * True if the commonest values of one edition are common in the next edition as well. This is so for names of people, codes of
   * nomenclatures and their labels.
   */
  lasting?: true;
  /**
   * Minimum share of values with accents, at a first import. With fewer accents, the file was probably converted wrongly. Only columns of
   * labels that always have the same spelling, such as "Libéral", have this minimum.
   */
  accents?: number;
  /** Number of values in the column from which it is a fault that most of them are the same. With fewer values, this may be right. */
  variedFrom?: number;
  /** The shortest length to which the register itself cuts values. If many values end at a shorter length, something else has cut them. */
  uncut?: number;
}

type Expectations = Readonly<Record<string, ColumnExpectation>>;

const ID: ColumnExpectation = { floor: 0.98 };
const NAME: ColumnExpectation = { floor: 0.98, lasting: true, variedFrom: 2000, uncut: 30 };
/**
 * Telephone and fax numbers. In the registers, only a few lines have a short number. If more lines have one, the numbers have lost their
 * leading zero, and the number without its zero belongs to somebody else or to nobody.
 */
const NUMBER: ColumnExpectation = { oddest: 0.05 };
const LASTING: ColumnExpectation = { lasting: true };
/**
 * Coordinates. If addresses of a commune could not be located, they all have the same position. So in a small extract, most positions may
 * be the same. Among `variedFrom` positions or more, this would be a fault.
 */
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
  // If a spreadsheet has saved the file, all its numbers have lost their leading zeros. The columns of FINESS numbers show this best: one
  // FINESS number in ten begins with a zero, so without the zeros far more than the allowed 2 % look wrong. Of the numbers SIRET and SIREN
  // (trade register), only one in thirty begins with a zero. These columns need not show the loss as well, so more of their values are
  // allowed to look wrong.
  siret: { oddest: 0.1 },
  siren: { oddest: 0.1 },
  finess: { oddest: 0.02 },
  legalFiness: { oddest: 0.02, floor: 0.5, of: 'finess' },
  technicalId: { floor: 0.05 },
  name: { ...whereThereIs('technicalId', 0.3), uncut: 38 },
  streetTypeLabel: LASTING,
  street: { floor: 0.3, of: 'technicalId', lasting: true, uncut: 30 },
  // A code of four digits is a foreign code, or it has lost its leading zero. The limit is low, because foreign codes are rare.
  postalCode: { oddest: 0.03, floor: 0.75, of: 'technicalId' },
  commune: { oddest: 0.03, floor: 0.3, of: 'technicalId' },
  city: { floor: 0.4, of: 'technicalId', lasting: true, uncut: 30 },
  phone: NUMBER,
  phone2: NUMBER,
  fax: NUMBER,
  mail: { oddest: 0.02 },
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

/**
 * The text files and the JSON feed of FINESS have most columns in common, under the same keys. If only one of them has a column, the
 * expectation for this column has no effect on the other.
 */
const STRUCTURES: Expectations = {
  finess: { floor: 0.98, oddest: 0.02 },
  shortName: { floor: 0.5, uncut: 38 },
  street: { floor: 0.3, lasting: true },
  streetType: LASTING,
  commune: { floor: 0.5 },
  routing: { floor: 0.5, oddest: 0.02 },
  x: coordinate(1000),
  y: coordinate(1000),
  latitude: coordinate(1000),
  longitude: coordinate(1000),
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

/** Expectations by the name that the register has in the snapshot registry, and then by the key of the column. */
const EXPECTATIONS: Readonly<Record<string, Expectations>> = {
  activities: ACTIVITIES,
  diplomas: DIPLOMAS,
  skills: SKILLS,
  mailboxes: MAILBOXES,
  'finess structureej': LEGAL_ENTITIES,
  'finess structureet': ESTABLISHMENTS,
  'finess geolocalisation': { x: coordinate(300), y: coordinate(300) },
  // No share of filled cells is required in FHIR files, because anybody may have made them, and they may lack any element.
  'fhir Practitioner': { family: LASTING, given: LASTING },
};

const NONE: Readonly<ColumnExpectation> = {};

export function expectationOf(register: string, key: string): ColumnExpectation {
  return EXPECTATIONS[register]?.[key] ?? NONE;
}
