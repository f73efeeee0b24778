// Writes the lines of the FINESS text files as the JSON feed would hold them. From the command line:
// node test/support/import/finess-as-json.ts LEGAL-ENTITIES ESTABLISHMENTS >finess-structures.json

import { readFileSync } from 'node:fs';
import { indexOfColumns } from '#import/collect/columns.ts';
import { communeCode } from '#import/mapping/addresses.ts';
import { FINESS_TEXT_CELLS, splitFinessLine } from '#import/registers/finess-text.ts';
import { finessJson, type Names } from './finess-json-files.ts';

const [J, E] = [indexOfColumns(FINESS_TEXT_CELLS.structureej), indexOfColumns(FINESS_TEXT_CELLS.structureet)];

type Cells = readonly string[];

/** The text of a JSON file with the structures of these lines; of establishments those whose legal entity is there. */
export function finessAsJson(entities: readonly Cells[], establishments: readonly Cells[]): string {
  const byEntity = Map.groupBy(establishments, (cells) => cells[E.legalFiness]);
  return finessJson(entities.map((cells) => legalEntity(cells, byEntity.get(cells[J.finess]) ?? [])));
}

/** The lines of a text file, split, without those of another kind. */
export function finessCells(text: string, kind: 'structureej' | 'structureet'): string[][] {
  return text
    .split('\n')
    .filter((line) => line.startsWith(`${kind};`))
    .map(splitFinessLine);
}

function legalEntity(cells: Cells, establishments: readonly Cells[]): Names {
  return {
    informationsGeneralesPMEJ: {
      numFinessPm: cells[J.finess],
      denominationPm: cells[J.shortName],
      denominationLonguePmSmsse: `${cells[J.name]}  `,
      complementAdressePmSmsse: cells[J.locality],
      statutJuridique: cells[J.status],
      categorieentiteGeographiqueExercice: cells[J.category],
      siren: cells[J.siren],
    },
    adresse: [address(cells, J, '02')],
    contact: [contact(cells[J.phone])],
    ege: establishments.map(establishment),
    etatObjet: 'A',
  };
}

function establishment(cells: Cells): Names {
  return {
    informationsGeneralesEGE: {
      numFinessEge: cells[E.finess],
      nomEgeCourt: cells[E.shortName],
      nomEgeLong: cells[E.name],
      complementDenominationEg: cells[E.locality],
      siret: cells[E.siret],
      espic: cells[E.publicService] === '' ? [] : [cells[E.publicService]],
    },
    categorieentiteGeographiqueExercice: cells[E.category],
    adresse: [{ ...address(cells, E, '06'), libelleVoie: 'DE L’ACCUEIL' }, address(cells, E, '03')],
    contact: [contact(cells[E.phone], cells[E.fax])],
    etatObjet: 'A',
  };
}

function address(cells: Cells, at: typeof J | typeof E, usageAdresse: string): Names {
  const [, codePostal, ligneAcheminement] = /^(\d{5}) (.*)$/.exec(cells[at.routing] ?? '') ?? [];
  return {
    usageAdresse,
    numeroVoie: cells[at.number],
    typeVoie: `${cells[at.streetType]}   `,
    libelleVoie: cells[at.street],
    complementVoie: cells[at.streetMore],
    complementPointGeographique: cells[at.distribution],
    lieuDit: cells[at.mention],
    cogCommune: communeCode(cells[at.departmentCode] ?? '', cells[at.commune] ?? ''),
    codePostal,
    ligneAcheminement,
  };
}

function contact(telephone = '', telecopie = ''): Names {
  return {
    typeContact: { roleContact: '01' },
    telecom: { ...(telephone !== '' && { telephone }), ...(telecopie !== '' && { telecopie }) },
  };
}

const [, script, entities, establishments] = process.argv;
if (script === import.meta.filename && entities !== undefined && establishments !== undefined) {
  const [legal, sites] = [entities, establishments].map((file) => readFileSync(file, 'utf8'));
  process.stdout.write(finessAsJson(finessCells(legal ?? '', 'structureej'), finessCells(sites ?? '', 'structureet')));
}
