// Runs the directory of `edition.ts` for the tests of one file: behind a public base, or on the search index.

import { expect, it } from '@jest/globals';
import request from 'supertest';
import type { ResourceType, Snapshot } from '#search-index/snapshot.ts';
import { openedForAll } from '#support/opened.ts';
import { edition } from './edition.ts';
import { openIndex } from './open-index.ts';
import { idsOf, issuesOf, refusalOf } from './reading.ts';
import { scanSnapshot } from './scan-snapshot.ts';
import { type RunningDirectory, startDirectory } from './service.ts';

export const FHIR_JSON = 'application/fhir+json; charset=utf-8';
export const PUBLIC_BASE = 'https://connect.example/directory/v2';

/** A directory whose public base is `PUBLIC_BASE`, for all tests of a file; `agent` and `get` carry a good token. */
export function behindPublicBase() {
  const directory = openedForAll(() =>
    startDirectory(scanSnapshot('one', edition()), { publicBase: `${PUBLIC_BASE}/` }),
  );
  const agent = () => request.agent(directory.address).set('Authorization', 'Bearer both');
  return { address: () => directory.address, agent, get: (path: string) => agent().get(path) };
}

/** What is there once the tests run, and not before. */
export interface IndexedDirectory {
  readonly snapshot: Snapshot;
  readonly directory: RunningDirectory;
}

/** A directory that searches the index of `edition.ts`, for all tests of the enclosing block. */
export function indexedDirectory(): IndexedDirectory {
  const snapshot = openedForAll(() => openIndex(edition()));
  return { snapshot, directory: openedForAll(() => startDirectory(snapshot)) };
}

export type Query = Record<string, string | string[]>;
/** A rule, a query, then the ids that it finds, in their order. */
export type Finds = readonly [rule: string, query: Query, ids: readonly string[]];
/** A rule, a query, then what the refusal names. */
export type Refuses = readonly [rule: string, query: Query, location: string, text: RegExp];

/** One test for each query of the tables. `token` is one that may search this type alone. */
export function itSearches(
  on: IndexedDirectory,
  { section, type, token }: { section: string; type: ResourceType; token: string },
  finds: readonly Finds[],
  refuses: readonly Refuses[],
): void {
  it.each(finds)(`${section} %s`, async (_rule, searchParams, ids) => {
    const bundle = await on.directory.client(token).search({ resourceType: type, searchParams });
    expect(idsOf(bundle)).toEqual(ids);
    expect(bundle['total']).toBe(ids.length);
  });

  it.each(refuses)(`${section} refused: %s`, async (_rule, searchParams, location, text) => {
    const refused = await refusalOf(on.directory.client().search({ resourceType: type, searchParams }));
    expect(refused.status).toBe(400);
    expect(issuesOf(refused)).toEqual([
      expect.objectContaining({ severity: 'error', location: [location], diagnostics: expect.stringMatching(text) }),
    ]);
  });
}
