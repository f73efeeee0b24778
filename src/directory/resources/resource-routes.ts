// Owns what one type answers: search by GET and by POST, and read. Each begins with the token, whatever else is wrong with
// the request. Does not own how values are parsed (`search.ts`), found (the store) or written (`bundle.ts`).

import {
  type Clause,
  type ResourceType,
  type SearchPage,
  type SearchQuery,
  type Snapshot,
  TooCostly,
} from '../../search-index/index.ts';
import { representationFor, representationOfRead, represented } from '../format/serialize.ts';
import { admit, demand, type Introspect } from '../middleware/authenticate.ts';
import { type Asked, bounded, isLenient, type Place } from '../middleware/directory-request.ts';
import { fault } from '../middleware/operation-outcome.ts';
import { formOf } from '../middleware/search-form.ts';
import type { Answer } from '../middleware/send-response.ts';
import { bundleJson } from '../search/bundle.ts';
import { type Inclusion, includedTypes } from '../search/include-paths.ts';
import { type Inclusions, includedWith } from '../search/includes.ts';
import type { Page } from '../search/page-token.ts';
import type { ParameterTable } from '../search/parameters.ts';
import { createSearchParser, type SearchRequest } from '../search/parse-search.ts';
import { type Snapshots, snapshotFor } from '../search/resolve-snapshot.ts';
import { answerRead } from './read.ts';
import { TABLES } from './resource-types.ts';

export interface TypePlacesOptions {
  /** Public base without a trailing slash. */
  base: string;
  namespace: string;
  introspect: Introspect;
  snapshots: Snapshots;
}

/** Path of a read or vread: type, id, version. */
export const READ = /^\/([^/]+)\/([^/]+)(?:\/_history\/([^/]+))?$/;

export function placesOf(table: ParameterTable, { base, namespace, introspect, snapshots }: TypePlacesOptions) {
  const { type, permissions } = table;
  const parse = createSearchParser(table, { base, namespace });

  const answerSearch = async (raw: string, { req }: Asked, scopes: ReadonlySet<string>): Promise<Answer> => {
    const { prefer, accept } = req.headers;
    const request = parse(raw, { lenient: isLenient(prefer) });
    if (request.inclusions.length > 0) demand(scopes, permissionsOf(type, request.inclusions));
    const representation = representationFor(type, accept, request);
    const snapshot = await snapshotFor(snapshots, request.page?.snapshot);
    const page = await found(snapshot, table, request);
    const inclusions =
      request.inclusions.length === 0
        ? NOTHING_INCLUDED
        : await includedWith({ snapshot, base }, type, page.matches, request.inclusions);
    const body = bundleJson({ base, type, request, snapshot: snapshot.id, page, inclusions });
    return represented({ status: 200, body }, representation);
  };
  /** Of what a refused search would include. Its other faults are not looked at before the token permits it. */
  const further = ({ query }: Asked) => {
    try {
      return permissionsOf(type, parse(bounded(query), { lenient: true }).inclusions);
    } catch {
      return [];
    }
  };
  const search: Place = {
    GET: async (asked) => {
      const scopes = await admit(asked.req, introspect, permissions, () => further(asked));
      return answerSearch(bounded(asked.query), asked, scopes);
    },
  };
  const searchByPost: Place = {
    POST: async (asked) => {
      // A refusal, too, is given in the format that the form asks for; what is wrong with the form comes after the token.
      const formFault = await formOf(asked.req, asked.res).then(
        (form) => {
          asked.form = form;
          return undefined;
        },
        (error: unknown) => ({ error }),
      );
      const scopes = await admit(asked.req, introspect, permissions);
      if (formFault) throw formFault.error;
      // STU3 http 2.20.0.7: the parameters of the address are added to those of the form.
      return answerSearch([asked.form, bounded(asked.query)].filter(Boolean).join('&'), asked, scopes);
    },
  };
  const read: Place = {
    GET: async (asked) => {
      const { req, path } = asked;
      await admit(req, introspect, permissions);
      const [, , id = '', version] = READ.exec(path) ?? [];
      const representation = representationOfRead(type, asked);
      const snapshot = await snapshotFor(snapshots);
      const wanted = {
        id: decodeURIComponent(id),
        ...(version !== undefined && { version: decodeURIComponent(version) }),
      };
      return answerRead({ table, base, snapshot }, wanted, req.headers, representation);
    },
  };
  return { search, searchByPost, read };
}

const NOTHING_INCLUDED: Inclusions = { included: [], incomplete: [] };

/** What the types need that a search includes. */
function permissionsOf(type: ResourceType, inclusions: readonly Inclusion[]): readonly string[] {
  const types = includedTypes(type, inclusions);
  return [...new Set(TABLES.filter((table) => types.has(table.type)).flatMap(({ permissions }) => permissions))];
}

function placeOf({ after, before, instant }: Page) {
  return {
    ...(after !== undefined && { after }),
    ...(before !== undefined && { before }),
    ...(instant !== undefined && { instant }),
  };
}

/** Whether a criterion has no alternative that could match. */
function findsNothing(clause: Clause): boolean {
  return 'anyOf' in clause && clause.anyOf.length === 0 && !(clause.match === 'exact' && clause.not);
}

async function found(snapshot: Snapshot, { type }: ParameterTable, request: SearchRequest): Promise<SearchPage> {
  const { clauses, accepts, page, order } = request;
  if (clauses.some(findsNothing)) return { matches: [], more: false, total: 0 };
  const asked: SearchQuery = {
    type,
    clauses,
    limit: request.totalOnly ? 0 : request.count,
    total: page?.total === undefined ? request.total : false,
    ...(page && placeOf(page)),
    ...(order && { order }),
  };
  if (accepts.length > 0) asked.accept = ({ json }) => accepts.every((accept) => accept(json));
  try {
    return await snapshot.search(asked);
  } catch (error) {
    if (error instanceof TooCostly) throw fault(400, 'too-costly', `Too costly: ${error.message}.`);
    throw error;
  }
}
