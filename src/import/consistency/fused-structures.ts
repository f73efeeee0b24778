// Finds different structures that have the same FINESS number. Without this check, they would become one Organization.

import { cell, type Row } from '#import/collect/columns.ts';
import { finessAddress, siteOf } from '#import/mapping/addresses.ts';
import { F } from '#import/registers/finess-row.ts';
import { foldedWords, tokenize } from '#search-index/index.ts';

/** Features of one record, for comparison. A feature that the record lacks is empty. */
interface Features {
  line: string;
  name: string;
  names: ReadonlySet<string>;
  words: ReadonlySet<string>;
  siret: string;
  siren: string;
  site: string;
  postalCode: string;
}

/** Minimum length of a word that is compared. Shorter words occur in many names. */
export const LONG_WORD = 4;

/**
 * Finds two records that cannot be about the same structure, and describes them. Undefined if there are none. `text` and `json` are all
 * records with one FINESS number. A legal entity and an establishment are always different structures. Two records in one form (text or
 * JSON) are about different structures if two of name, SIREN and site differ, unless they have the same SIRET. A single one of these may
 * change while the structure stays the same. Between the two forms more may have changed, because the JSON feed is months newer than the
 * text files. So a text and a JSON record are about different structures only if SIREN and postal code differ and the names share no long
 * word.
 */
export function fusedStructures(text: readonly Row[], json: readonly Row[]): [string, string] | undefined {
  const [ofText, ofJson] = [text.map(featuresOf), json.map(featuresOf)];
  return (
    firstPair(ofText, ofText, differInOneForm) ??
    firstPair(ofJson, ofJson, differInOneForm) ??
    firstPair(ofText, ofJson, differBetweenForms)
  );
}

function firstPair(
  some: readonly Features[],
  others: readonly Features[],
  differ: (a: Features, b: Features) => boolean,
): [string, string] | undefined {
  for (const one of some) {
    const other = others.find(
      (candidate) => candidate !== one && (candidate.line !== one.line || differ(one, candidate)),
    );
    if (other) return [describe(one), describe(other)];
  }
  return undefined;
}

function differInOneForm(a: Features, b: Features): boolean {
  if (a.siret !== '' && a.siret === b.siret) return false;
  const names = a.name !== '' && b.name !== '' && disjoint(a.names, b.names);
  return Number(names) + Number(contradict(a.siren, b.siren)) + Number(contradict(a.site, b.site)) >= 2;
}

function differBetweenForms(a: Features, b: Features): boolean {
  return (
    a.name !== '' &&
    b.name !== '' &&
    disjoint(a.words, b.words) &&
    contradict(a.siren, b.siren) &&
    contradict(a.postalCode, b.postalCode)
  );
}

function featuresOf(row: Row): Features {
  const names = [cell(row, F.name), cell(row, F.shortName)].filter((name) => name !== '');
  const words = names.flatMap((name) => tokenize(name));
  const address = finessAddress(row);
  const siret = cell(row, F.siret);
  return {
    line: cell(row, F.line),
    name: names[0] ?? '',
    names: new Set(names.map(foldedWords)),
    words: new Set(words.filter((word) => word.length >= LONG_WORD)),
    siret,
    siren: cell(row, F.siren) || siret.slice(0, 9),
    site: address === undefined || address.parts.street === '' ? '' : siteOf(address),
    postalCode: address?.parts.postalCode ?? '',
  };
}

function disjoint(some: ReadonlySet<string>, others: ReadonlySet<string>): boolean {
  return some.values().every((one) => !others.has(one));
}

function contradict(a: string, b: string): boolean {
  return a !== '' && b !== '' && a !== b;
}

function describe({ line, name, postalCode }: Features): string {
  return `"${name}"${postalCode === '' ? '' : ` in ${postalCode}`} (${line})`;
}
