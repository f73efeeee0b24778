// Searches as the directory understands or refuses them, without a directory, and resources as an index returns them.

import { FhirError } from '#directory/errors.ts';
import type { ParameterTable } from '#directory/resources/parameters.ts';
import { CODE_SYSTEM, SEARCH_PARAMETER, TABLES } from '#directory/resources/resource-types.ts';
import { createSearchParser } from '#directory/search/parse-search.ts';
import type { StoredResource } from '#search-index/index.ts';

export const base = 'https://connect.example/directory/v2';
export const own = { base, namespace: 'https://connect.example' };

export const parse = (table: ParameterTable, query: string, lenient = false) =>
  createSearchParser(table, own)(query, { lenient });

/** The issues of a refused search, or the notes of one that is understood, each with its code, its parameter and its text. */
export function issuesOf(table: ParameterTable, query: string, lenient = false): string[] {
  const told = () => {
    try {
      return parse(table, query, lenient).notes;
    } catch (error) {
      if (error instanceof FhirError) return error.issues;
      throw error;
    }
  };
  return told().map(
    ({ severity, code, location, diagnostics }) => `${severity} ${code} ${location ?? '-'} ${diagnostics}`,
  );
}

/** What is said of searches such as `Practitioner?name=a`, which stand in a text between blanks: a line for each, and those that are said. */
export function saidOf(searches: string, say: (table: ParameterTable, query: string) => readonly string[]): string {
  const lines = searches
    .trim()
    .split(/\s+/)
    .flatMap((search) => {
      const [type = '', ...query] = search.split('?');
      const table = [...TABLES, SEARCH_PARAMETER, CODE_SYSTEM].find((one) => one.type === type);
      if (!table) throw new Error(`no type ${type}`);
      return [search, ...say(table, query.join('?')).map((line) => `  ${line}`)];
    });
  return lines.join('\n');
}

export const stored = (position: number, id: string, more: object = {}): StoredResource => ({
  position,
  id,
  versionId: '1',
  lastUpdated: '2026-11-02T05:00:00.250Z',
  json: JSON.stringify({ id, ...more }),
});
