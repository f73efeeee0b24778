// Notes beside the matches of a search: what was left out or read in another way, and what the client should know. They stand in one entry
// of the Bundle with `search.mode` outcome, and never change what is found.

import type { Issue } from '#directory/errors.ts';
import type { ParameterTable } from '#directory/resources/parameters.ts';
import type { SearchPage, Snapshot } from '#search-index/index.ts';
import type { SearchRequest } from './parse-search.ts';
import { noteOfPeopleWithoutRole } from './people-without-role.ts';
import { noteOfUnknownPositions } from './unknown-positions.ts';

/** An answered search, for notes that depend on what was found. Those that only need the query belong to `SearchRequest.notes`. */
export interface AnsweredSearch {
  table: ParameterTable;
  request: SearchRequest;
  snapshot: Snapshot;
  page: SearchPage;
  /** True once nobody waits for the answer. */
  abandoned(): boolean;
}

/** Makes the notes of an answered search. It is awaited, so it has to be quick. */
type NoteSource = (answered: AnsweredSearch) => Promise<readonly Issue[]>;

const SOURCES: readonly NoteSource[] = [noteOfPeopleWithoutRole, noteOfUnknownPositions];

/** All notes of a search: those of its query first. */
export async function notesOf(answered: AnsweredSearch): Promise<readonly Issue[]> {
  const { notes } = answered.request;
  const found = await Promise.all(SOURCES.map((source) => source(answered)));
  return [...notes, ...found.flat()];
}
