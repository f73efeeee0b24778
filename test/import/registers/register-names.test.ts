// The names of registers: their titles, the files that promise them, the words of their headers, and the sums of their files.

import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import {
  bindColumns,
  cellCountIssue,
  headerLikeness,
  headerWords,
  keyWord,
  rowOf,
} from '#import/registers/bind-header.ts';
import { SKILL_COLUMNS } from '#import/registers/person-columns.ts';
import {
  promisedRegister,
  promisesRegister,
  REGISTER_NAMES,
  REGISTERS,
  titleOf,
} from '#import/registers/register-kinds.ts';
import { editionsOf, finessStructures, linesOf, sourcesChecksum } from '#import/registers/source.ts';
import { bindingOf } from '#support/import/lines.ts';

describe('registers', () => {
  it('have these kinds, titles and names', () => {
    expect(Object.entries(REGISTERS).map(([key, { kind, title }]) => [key, kind, title])).toEqual([
      ['activities', 'activities', 'PS_LibreAcces_Personne_activite'],
      ['diplomas', 'diplomas', 'PS_LibreAcces_Dipl_AutExerc'],
      ['skills', 'skills', 'PS_LibreAcces_SavoirFaire'],
      ['mailboxes', 'mailboxes', 'Extraction_Correspondance_MSSante'],
      ['finess', 'finess', 'FINESS etalab-cs1100501, 502, 507 and finess-structures (JSON)'],
      ['fhir', 'fhir', 'FHIR STU3 resources as Bundle or NDJSON'],
    ]);
    expect(REGISTER_NAMES).toEqual([
      ...['activities', 'diplomas', 'skills', 'mailboxes', 'finess', 'finess structureej', 'finess structureet'],
      ...['finess geolocalisation', 'fhir', 'fhir Practitioner', 'fhir Organization', 'fhir PractitionerRole'],
    ]);
    expect([titleOf('skills'), titleOf('fhir Practitioner')]).toEqual([
      'PS_LibreAcces_SavoirFaire',
      'FHIR STU3 resources as Bundle or NDJSON, lines "Practitioner"',
    ]);
  });

  it.each([
    ['in/PS_LibreAcces_Personne_activite_202610080830.txt', 'activities', true],
    ['ps_libreacces_dipl_autexerc.txt', 'diplomas', true],
    ['a.zip!deep/PS_LibreAcces_SavoirFaire.txt', 'skills', true],
    ['Extraction_Correspondance_MSSante_1.txt', 'mailboxes', true],
    ['etalab-cs1100501-stock.csv', 'finess structureej', true],
    ['etalab-cs1100502-stock.csv', 'finess structureet', true],
    ['etalab-cs1100507.csv', 'finess structureet', true],
    ['etalab-cs11005013.csv', undefined, true],
    ['finess-structures-1.json', 'finess', true],
    ['finess-activites-1.json', undefined, false],
    ['PS_LibreAcces_Personne_activite/readme.txt', undefined, false],
    ['readme.txt', undefined, false],
  ])('%s promises %s: %s', (name, register, promises) => {
    expect([promisedRegister(name), promisesRegister(name)]).toEqual([register, promises]);
  });
});

describe('headers', () => {
  it('have words without articles, and short forms for long ones', () => {
    expect(headerWords("Le nom d'exercice de la personne, des lieux du pays, les uns en et l'autre")).toEqual([
      ...['nom', 'exercice', 'personne', 'lieux', 'pays', 'uns', 'autre'],
    ]);
    expect(headerWords('Coordonnées Téléphone Numéro Libellé Département Complément Courriel')).toEqual([
      ...['coord', 'tel', 'num', 'lib', 'dept', 'compl', 'email'],
    ]);
    expect([headerWords('Adresse e-mail'), headerWords('Adresse EMAIL')]).toEqual([
      ['adresse', 'email'],
      ['adresse', 'email'],
    ]);
    expect(keyWord('Num_Finess-É 1')).toBe('numfinesse1');
  });

  const column = (label: string, to?: string) => ({ key: label, label, ...(to ? { to } : { omitted: 'not needed' }) });
  const columns = [column('Code rôle', 'a'), column('Libellé du rôle exercé', 'b'), column('Autre chose')];

  it('are alike by the share of columns that they name', () => {
    expect(headerLikeness(columns, ['CODE ROLE', 'x'])).toBe(1 / 3);
    expect(headerLikeness([{ ...columns[2], aliases: ['Autre'] } as never], ['autre'])).toBe(1);
  });

  it('bind columns by three fifths of their words, if one header alone has them', () => {
    const bind = (...headers: string[]) => bindColumns(columns, headers);
    expect(bind('x', 'Libellé rôle', 'Code rôle', '')).toEqual({
      binding: {
        positions: [2, 1, -1],
        cells: 3,
        trailing: true,
        inOrder: false,
        drifted: [{ label: 'Libellé du rôle exercé', found: 'Libellé rôle' }],
      },
      missing: [],
    });
    expect(bind('Code rôle', 'Libellé du rôle exercé', 'Autre chose')).toEqual({
      binding: { positions: [0, 1, 2], cells: 3, trailing: false, inOrder: true, drifted: [] },
      missing: [],
    });
    expect(bind('Code rôle', 'Libellé du rôle exercé', 'Autre chose', 'x').binding.inOrder).toBe(false);
    // Three of five words, and then three of six.
    expect(bind('Code rôle', 'Libellé rôle exercé des tiers absents').missing).toEqual([]);
    expect(bind('Code rôle', 'Libellé rôle exercé des tiers absents ici').missing).toEqual([columns[1]]);
    expect(bind('Code rôle', 'Libellé rôle', 'Rôle exercé').missing).toEqual([columns[1]]);
  });

  it('and their rows have as many cells', () => {
    const { binding } = bindColumns(columns, ['x', 'Libellé rôle', 'Code rôle', '']);
    expect(rowOf(binding, ['1', '2', '3', ''])).toEqual(['3', '2', '']);
    expect([rowOf(binding, ['1', '2']), rowOf(binding, ['1', '2', '3', '4'])]).toEqual([undefined, undefined]);
    expect([cellCountIssue(binding, ['1', '']), cellCountIssue(binding, ['1', '2'])]).toEqual([
      '1 cells instead of 3',
      '2 cells instead of 3',
    ]);
    expect(bindingOf(SKILL_COLUMNS).inOrder).toBe(true);
  });
});

describe('the sources of an edition', () => {
  const source = (kind: string, checksum: string, report: object) =>
    ({ recognised: { kind }, checksum, report: { lines: 10, ...report } }) as never;
  const sources: Parameters<typeof editionsOf>[0] = [
    source('skills', 'b', { edition: '2026-10-08' }),
    source('skills', 'a', { repeated: 3, edition: '2026-10-08T08:30' }),
    source('finess', 'd', { parts: { structureej: 4, structureet: 6 }, edition: '2026-05-12' }),
    source('finess', 'c', { parts: { structureet: 1 } }),
    source('fhir', 'e', { parts: { Practitioner: 7 } }),
    source('diplomas', 'f', { parts: { other: 9 } }),
  ];

  it('are added up by register, with the newest date', () => {
    expect(editionsOf(sources)).toEqual({
      skills: { lines: 17, date: '2026-10-08T08:30' },
      'finess structureej': { lines: 4, date: '2026-05-12' },
      'finess structureet': { lines: 7, date: '2026-05-12' },
      'fhir Practitioner': { lines: 7 },
      diplomas: { lines: 10 },
    });
    expect([finessStructures(sources), linesOf(sources)]).toEqual([11, 60]);
  });

  it('have one checksum, whatever their order', () => {
    const text = 'mapping 3\ndiplomas f\nfhir e\nfiness c\nfiness d\nskills a\nskills b';
    const checksum = createHash('sha256').update(text).digest('hex');
    expect(sourcesChecksum(sources, 'mapping 3')).toBe(checksum);
    expect(sourcesChecksum(sources.toReversed(), 'mapping 3')).toBe(checksum);
  });
});
