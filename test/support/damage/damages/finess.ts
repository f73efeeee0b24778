// Damages to FINESS: its text files, and its flow as JSON.

import { type EditionFiles, nameOf, withContent, withLines } from '#support/damage/edition-files.ts';
import { finessAsJson, finessCells } from '#support/import/finess-as-json.ts';
import { withCell } from './cells.ts';
import type { Damage, Expectation } from './damage.ts';

const PARTS = ['legalEntities', 'establishments'] as const;

function ofText(
  name: string,
  renewal: Expectation,
  apply: Damage['apply'],
  more: Pick<Damage, 'firstLoad'> = {},
): Damage {
  return { name: `FINESS: ${name}`, renewal, ...more, apply };
}

function ofJson(name: string, renewal: Expectation, change: (text: string) => string): Damage {
  return {
    name: `FINESS as JSON: ${name}`,
    renewal,
    form: 'finess-json',
    apply: (files) => {
      const [file = '', content = Buffer.alloc(0)] = [...files].find(([one]) => one.endsWith('.json')) ?? [];
      return new Map(files).set(file, Buffer.from(change(content.toString())));
    },
  };
}

/** The files with FINESS as JSON in the place of its text. */
export function asFinessJson(files: EditionFiles): EditionFiles {
  const [entities, sites] = PARTS.map((key) => nameOf(files, key)) as [string, string];
  const cells = [
    finessCells(String(files.get(entities)), 'structureej'),
    finessCells(String(files.get(sites)), 'structureet'),
  ] as const;
  const others = [...files].filter(([name]) => name !== entities && name !== sites);
  const date = /\d{8}/.exec(entities)?.[0] ?? '20261009';
  const json = finessAsJson(...cells).replace(
    /("generatedAt": ")[-0-9]+/,
    `$1${date.replace(/(....)(..)(..)/, '$1-$2-$3')}`,
  );
  return new Map([...others, [`finess-structures-1_${date}.json`, Buffer.from(json)]]);
}

const share = (text: string, of: number) => text.slice(0, text.length * of);

export const FINESS: readonly Damage[] = [
  ofText('cut at 75 %', /./, (files, { draw }) =>
    withContent(files, draw.one(PARTS), (content) => Buffer.from(share(content.toString(), 0.75))),
  ),
  ofText('establishments under the number of the one before, one in four', /./, (files) =>
    withLines(files, 'establishments', (lines) =>
      lines.map((line, at) =>
        at % 4 === 2 ? line.replace(/^structureet;\d{9}/, (lines[at - 1] ?? '').slice(0, 21)) : line,
      ),
    ),
  ),
  ofText(
    'numbers of legal entities of the line before',
    /./,
    (files) =>
      withLines(files, 'legalEntities', (lines) =>
        lines.map((line, at) => {
          const before = lines[at === 1 ? lines.length - 1 : at - 1] ?? '';
          return at === 0 ? line : line.replace(/^(structureej;)\d{9}/, `$1${before.split(';')[1]}`);
        }),
      ),
    { firstLoad: 'unseen' },
  ),
  ofText('the geolocated file beside the plain one, without positions', ['same', /fillRates|fill-rates/], (files) => {
    const name = nameOf(files, 'establishments');
    const text = String(files.get(name));
    const places = [...text.matchAll(/^structureet;(\d{9})/gm)].map(
      ([, number]) => `geolocalisation;${number};;;1,ATLASANTE,98,BAN,L93_METROPOLE;2026-10-09\n`,
    );
    const geolocated = text.replace('finess;etalab;111', 'finess;etalab;112') + places.join('');
    return new Map(files).set(name.replace('502', '507'), Buffer.from(geolocated));
  }),
  ofText('every cell in quotes', 'same', (files, { draw }) =>
    withLines(files, draw.one(PARTS), (lines) =>
      lines.map((line) =>
        line
          .split(';')
          .map((cell) => (cell.startsWith('"') ? cell : `"${cell}"`))
          .join(';'),
      ),
    ),
  ),
  ofText('names of another column', /./, (files) =>
    withLines(files, 'establishments', (lines) =>
      lines.map((line, at) => (at === 0 ? line : line.split(';').toSpliced(3, 0, '').slice(0, 32).join(';'))),
    ),
  ),
  ofText('names emptied', /./, (files, { draw }) =>
    withLines(files, draw.one(PARTS), (lines) =>
      lines.map((line, at) =>
        at === 0 ? line : [2, 3, 4].reduce((row, cell) => withCell(row, cell, ''), line.split(';')).join(';'),
      ),
    ),
  ),
  ofJson('cut at 75 %', /unreadable/, (text) => share(text, 0.75)),
  ofJson('names of establishments under another key', /needed-keys|fill|columns/, (text) =>
    text.replaceAll('"nomEgeLong"', '"nomLong"').replaceAll('"nomEgeCourt"', '"nomCourt"'),
  ),
  ofJson('addresses under another key', /needed-keys|fill|columns/, (text) =>
    text.replaceAll('"adresse"', '"adressePostale"'),
  ),
  ofJson('states under another key', /unknown-state/, (text) => text.replaceAll('"etatObjet"', '"etat"')),
  ofJson('an unknown state', /unknown-state/, (text) =>
    text.replace('"etatObjet": "A"', '"etatObjet": "X"').replace('"etatObjet":"A"', '"etatObjet":"X"'),
  ),
  ofJson('every structure closed', /./, (text) => text.replaceAll(/"etatObjet": ?"A"/g, '"etatObjet":"I"')),
  ofJson('establishments under another key', /./, (text) => text.replaceAll('"ege"', '"etablissements"')),
  ofJson('numbers without quotes', /./, (text) => text.replaceAll(/("numFinessEge": ?)"0*(\d+)"/g, '$1$2')),
  ofJson('keys in another spelling', 'same', (text) => text.replaceAll('"numFinessEge"', '"NUM_FINESS_EGE"')),
];
