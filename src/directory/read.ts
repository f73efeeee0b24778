// Reads one resource by id, with its version.

import type { Snapshot, StoredResource } from '#search-index/index.ts';
import { traced } from '#shared/request-context.ts';
import { fhirError, shownName } from './errors.ts';
import type { Representation } from './format/serialize.ts';
import { subsetTag } from './format/summary-and-elements.ts';
import type { Interaction } from './middleware/interaction.ts';
import { representationOfRead } from './requested-representation.ts';
import { resolveSnapshot, type Snapshots } from './resolve-snapshot.ts';
import type { ParameterTable } from './resources/parameters.ts';

interface ReadOptions {
  /** Public base address of the directory without a trailing slash. */
  base: string;
  snapshots: Snapshots;
}

/**
 * Makes the interaction of a read (`id`) and a vread (`id` and `vid`). A vread finds the current version only, because no other is stored.
 * Throws FhirError 404 for an unknown id or version, and 410 for a resource that an earlier edition had.
 */
export function read(table: ParameterTable, { base, snapshots }: ReadOptions): Interaction {
  const { type } = table;
  return async (request) => {
    const { id, vid } = request.params as { id: string; vid?: string };
    if (id.startsWith('$'))
      throw fhirError(
        404,
        'not-found',
        `There is no operation ${shownName(id)}: /metadata lists those that there are.`,
      );
    const representation = representationOfRead(type, request);
    const snapshot = await resolveSnapshot(snapshots);
    const found = await traced(`directory read ${type}`, {}, () => snapshot.read(type, id));
    if (!found) throw await missing(table, snapshot, id);
    const { json, versionId, lastUpdated } = found;
    if (vid !== undefined && vid !== versionId)
      throw fhirError(404, 'not-found', `Only the current version of ${type}/${id} is kept: history is not supported.`);
    const etag = entityTag(found, representation);
    const location = `${base}/${type}/${id}/_history/${versionId}`;
    return { json, representation, version: { etag, lastUpdated, location } };
  };
}

/** Refuses the histories of a resource, of a type and of all types, because the directory has none. */
export const history: Interaction = () => {
  throw fhirError(
    404,
    'not-found',
    'Only current versions are kept: history is not supported. Search by _lastUpdated for what changed since a time.',
  );
};

/**
 * Makes the entity tag from the version id (STU3 http 2.20.0.4). The tag is weak because JSON and XML have the same tag. A subset
 * (`_summary`, `_elements`) has a tag of its own, because it is not the whole version.
 */
function entityTag({ versionId }: StoredResource, { subset }: Representation): string {
  return subset ? `W/"${versionId}+${subsetTag(subset)}"` : `W/"${versionId}"`;
}

/** Names the parameters by which people find an entry without its id: name and identifier, or else the first parameters of the type. */
function searched({ parameters }: ParameterTable): string {
  const names = parameters.map(({ name }) => name);
  const known = ['name', 'identifier'].filter((name) => names.includes(name));
  return (known.length > 0 ? known : names.slice(0, 2)).join(' or ');
}

async function missing(table: ParameterTable, snapshot: Snapshot, id: string) {
  const gone = await snapshot.gone(table.type, id);
  if (gone)
    return fhirError(
      410,
      'not-found',
      `${table.type}/${id} left the directory with the edition of ${gone.goneSince}: search by ${searched(table)} whether it is there under another id.`,
    );
  return fhirError(
    404,
    'not-found',
    `There is no ${table.type} with the id ${shownName(id)}: search for it by ${searched(table)}.`,
  );
}
