// Directory import: the names of the FINESS JSON feed: every one of the published schema is in the table, and what the table
// says of it is true.

import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Column } from '#import/collect/columns.ts';
import { FINESS_JSON_ROOT, JSON_ESTABLISHMENT, JSON_LEGAL_ENTITY } from '#import/registers/finess-json-columns.ts';
import { legalEntity, type Names } from '#support/import/finess-json-files.ts';
import { type Bench, openBench } from '#support/import/register-files.ts';

/** Names of schema v1.0.0 that hold a value, by the object that they stand in. */
const PUBLISHED = {
  root: 'schemaVersion generatedAt pmej gco gcc',
  'informationsGeneralesPMEJ.':
    'pmSmsseId codeApe complementAdressePmSmsse dateCreation dateFermeture denominationLonguePmSmsse denominationPm numFinessPm fonctionPublique categorieentiteGeographiqueExercice siren statutJuridique typeGroupeGco typePersonneMorale',
  ofLegalEntity: 'engagement evenement ege etatObjet dateDerniereMaj',
  'informationsGeneralesEGE.':
    'egeId complementDenominationEg dateFermeture dateOuverture datePremiereAutorisation nomEgeCourt nomEgeLong numeroEducationNationale numeroReferenceExterne numFinessEge espic[] siret',
  ofEstablishment:
    'categorieentiteGeographiqueExercice modefixationtarifaire typeBudget engagement evenement roleEge etatObjet dateDerniereMaj',
  'adresse[].':
    'usageAdresse numeroVoie typeVoie libelleVoie complementVoie complementPointGeographique lieuDit cogCommune ligneAcheminement ligneUne ligneDeux ligneTrois ligneQuatre ligneCinq ligneSix codePostal',
  'adresse[].coordonneesGeographique.':
    'coordonneeX coordonneeY directionLatitude directionLongitude cleInInteropBAN scoreBAN',
  'contact[].typeContact.': 'roleContact',
  'contact[].telecom.': 'telephone telecopie courriel',
} as const;

const names = (...groups: (keyof typeof PUBLISHED)[]) =>
  groups
    .flatMap((group) => PUBLISHED[group].split(' ').map((name) => (group.includes('.') ? group + name : name)))
    .sort();
const labels = (columns: readonly Column[]) => columns.map(({ label }) => label).sort();
const SHARED = [
  'adresse[].',
  'adresse[].coordonneesGeographique.',
  'contact[].typeContact.',
  'contact[].telecom.',
] as const;

it('import: no name of FINESS JSON is forgotten root, legal entity, establishment', () => {
  expect(labels(FINESS_JSON_ROOT)).toEqual(names('root'));
  expect(labels(JSON_LEGAL_ENTITY)).toEqual(names('informationsGeneralesPMEJ.', 'ofLegalEntity', ...SHARED));
  expect(labels(JSON_ESTABLISHMENT)).toEqual(names('informationsGeneralesEGE.', 'ofEstablishment', ...SHARED));
});

/** A legal entity with its establishment, distinguished by a number within all that identifies. */
function entity(number: number, change: (pmej: Names) => void = () => {}): Names {
  const pmej = legalEntity();
  set(pmej, 'informationsGeneralesPMEJ.numFinessPm', `69${number}021`);
  set(pmej, 'informationsGeneralesPMEJ.siren', `99${number}001`);
  const [ege] = pmej['ege'] as [Names];
  set(ege, 'informationsGeneralesEGE.numFinessEge', `69${number}013`);
  set(ege, 'informationsGeneralesEGE.siret', `99${number}00100011`);
  change(pmej);
  return pmej;
}

/** Sets what stands at a path, in every element of an array: to the next value of its form, or to what is given. */
function set(object: Names, path: string, to?: unknown): void {
  const [name = '', ...rest] = path.replaceAll('[]', '').split('.');
  expect([path, Object.hasOwn(object, name)]).toEqual([path, true]);
  const inner = object[name];
  if (rest.length === 0) object[name] = to ?? other(inner);
  else if (!Array.isArray(inner)) set(inner as Names, rest.join('.'), to);
  // The second contact has a telephone number only.
  else for (const one of inner as Names[]) if (inner[0] === one || rest[0] !== 'telecom') set(one, rest.join('.'), to);
}

function other(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(other);
  if (typeof value === 'object') return { ...value, more: 1 };
  const next = (sign: string) => (sign === '9' ? '0' : String.fromCharCode(sign.charCodeAt(0) + 1));
  return String(value).replace(/[0-9A-Za-z](?=[^0-9A-Za-z]*$)/, next);
}

/** Where another value of the same form means nothing. */
const TO: Readonly<Record<string, unknown>> = { etatObjet: 'I', ege: [], 'adresse[].usageAdresse': '09' };

/** Imports entities of several numbers; returns what each became, as text without its number. */
async function resourcesOf(bench: Bench, pmej: readonly Names[], root: object = {}): Promise<Map<number, string>> {
  const file = { schemaVersion: 'v1.0.0', generatedAt: '2026-11-20T02:00:00Z', gcc: [], gco: [], pmej, ...root };
  await bench.run([bench.file('x.json', JSON.stringify(file))], { accept: [{ name: 'other-people' }] });
  const snapshot = await bench.snapshot();
  const page = await snapshot.search({ type: 'Organization', clauses: [], limit: 100_000, total: false });
  const found = new Map<number, string[]>();
  for (const { json } of page.matches) {
    const { meta: _meta, ...resource } = JSON.parse(json) as Names;
    const text = JSON.stringify(resource);
    const number = Number(/(?<=69)4\d{3}/.exec(text)?.[0]);
    found.set(number, [...(found.get(number) ?? []), text.replaceAll(String(number), '####')]);
  }
  return new Map([...found].map(([number, texts]) => [number, texts.sort().join('\n')]));
}

describe('import: what the page says of the names of FINESS JSON is so', () => {
  const LEVELS = [
    { level: 'pmej', columns: JSON_LEGAL_ENTITY as readonly Column[], at: (pmej: Names) => pmej },
    {
      level: 'ege',
      columns: JSON_ESTABLISHMENT as readonly Column[],
      at: (pmej: Names) => (pmej['ege'] as [Names])[0],
    },
  ] as const;
  /** What a name means can depend on others: the postal line of a street on its parts, a closed entity on what is open, metres on degrees. */
  const CIRCUMSTANCES: readonly ((pmej: Names) => void)[] = [
    () => {},
    (pmej) => {
      for (const { at } of LEVELS) {
        for (const part of ['numeroVoie', 'complementVoie', 'typeVoie', 'libelleVoie'])
          set(at(pmej), `adresse[].${part}`, '');
      }
    },
    (pmej) => set((pmej['ege'] as [Names])[0], 'etatObjet', 'I'),
    (pmej) => {
      const degrees = {
        coordonneeX: '4.85',
        coordonneeY: '45.75',
        directionLatitude: '6520000',
        directionLongitude: '843000',
      };
      for (const { at } of LEVELS)
        for (const [name, value] of Object.entries(degrees))
          set(at(pmej), `adresse[].coordonneesGeographique.${name}`, value);
    },
  ];
  const mapped = LEVELS.flatMap(({ level, columns }) =>
    columns.flatMap(({ label, to }) => (to === undefined ? [] : [{ level, label }])),
  );
  const [FIRST, numbers] = [4000, new Map<string, number[]>()];
  let found: Map<number, string>;

  beforeAll(async () => {
    const bench = await openBench();
    const entities = CIRCUMSTANCES.map((circumstance, index) => entity(FIRST + index, circumstance));
    const add = (name: string, circumstance: number, change: (pmej: Names) => void) => {
      const number = FIRST + entities.length;
      numbers.set(name, [...(numbers.get(name) ?? []), number]);
      entities.push(
        entity(number, (pmej) => {
          CIRCUMSTANCES[circumstance]?.(pmej);
          change(pmej);
        }),
      );
    };
    for (const { level, columns, at } of LEVELS) {
      for (const { label, to } of columns) {
        if (to === undefined) continue;
        for (const circumstance of CIRCUMSTANCES.keys()) {
          add(`${level} ${label}`, circumstance, (pmej) => set(at(pmej), label, TO[label]));
        }
      }
      add(level, 0, (pmej) => {
        for (const { label, omitted } of columns) if (omitted !== undefined) set(at(pmej), label);
      });
    }
    found = await resourcesOf(bench, entities).finally(() => bench.close());
  });

  it.each(mapped)('$level: $label is mapped: a change of it changes a resource', ({ level, label }) => {
    const changes = numbers.get(`${level} ${label}`) ?? [];
    expect(changes).toHaveLength(CIRCUMSTANCES.length);
    expect(changes.some((number, circumstance) => found.get(number) !== found.get(FIRST + circumstance))).toBe(true);
  });

  it.each(LEVELS)('$level: the names that are left out change nothing, all changed at once', ({ level }) => {
    const [number = 0] = numbers.get(level) ?? [];
    expect(found.get(FIRST)?.length).toBeGreaterThan(1000);
    expect(found.get(number)).toBe(found.get(FIRST));
  });

  it('of the file itself only the legal entities matter', async () => {
    const bench = await openBench();
    try {
      const before = await resourcesOf(bench, [entity(FIRST)]);
      const groups = { gcc: [{ gccId: '1' }], gco: [{ pmSmsseId: '2' }] };
      const root = { ...groups, schemaVersion: 'v2', generatedAt: '2026-11-21' };
      expect(await resourcesOf(bench, [entity(FIRST)], root)).toEqual(before);
      expect(await resourcesOf(bench, [entity(FIRST), entity(FIRST + 1)])).not.toEqual(before);
    } finally {
      await bench.close();
    }
  });
});
