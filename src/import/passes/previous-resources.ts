// Finds resources of the served directory. They replace resources that are doubtful in the new edition.

import type { WarningKind } from '#import/collect/warnings.ts';
import { type DirectoryResource, indexResource, withoutMeta } from '#import/fhir/index-entries.ts';
import { ROLE_ID } from '#import/mapping/practitioner-role.ts';
import { type IndexedResource, openSnapshot, type ResourceType, type Snapshot } from '#search-index/index.ts';

/** A resource that should stay as it was, because its lines describe several people or structures. */
export interface Doubtful {
  doubtful: { type: 'Practitioner' | 'Organization'; id: string };
  /** Resources that are written if the served directory lacks the resource, and what the report says about that. */
  fallback: readonly IndexedResource[];
  fallbackText: string;
  /** Reason of the doubt. Absent if there is nothing to report. */
  warning?: { kind: WarningKind; text: string };
  /** Tells whether a resource came as FHIR. Such a resource is kept as it is. */
  isGiven?(resource: DirectoryResource): boolean;
}

/** Maximum number of roles of one person. */
const MOST_ROLES = 1000;

/** @param file the file of the served snapshot, which is opened when it is needed; absent if there is nothing to compare with */
export function createPreviousResources(file: string | undefined) {
  let opened: Promise<Snapshot> | undefined;
  const snapshot = (): Promise<Snapshot> | undefined => {
    if (file !== undefined) opened ??= openSnapshot(file);
    return opened;
  };

  async function read(type: ResourceType, id: string): Promise<DirectoryResource | undefined> {
    const stored = await (await snapshot())?.read(type, id);
    return stored && resourceIn(stored.json);
  }

  /** Returns the roles that were made from the lines of a person. Roles that came as FHIR come again with their own file. */
  async function rolesOf(id: string): Promise<DirectoryResource[]> {
    const reference = `Practitioner/${id}`;
    const clauses = [{ field: 'practitioner', match: 'exact', anyOf: [reference] }] as const;
    const query = { type: 'PractitionerRole', clauses, limit: MOST_ROLES, total: false } as const;
    const found = (await (await snapshot())?.search(query))?.matches ?? [];
    return found
      .map(({ json }) => resourceIn(json))
      .filter(
        (role) =>
          role.resourceType === 'PractitionerRole' &&
          role.practitioner?.reference === reference &&
          ROLE_ID.form.exec(role.id)?.[1] === id.slice(0, ROLE_ID.practitionerLength),
      );
  }

  return {
    /** Returns the earlier resources, ready to be written again. A Practitioner comes with its roles. Undefined if there were none. */
    async of({ doubtful: { type, id }, isGiven = () => false }: Doubtful): Promise<IndexedResource[] | undefined> {
      const before = await read(type, id);
      if (!before) return undefined;
      const all = type === 'Practitioner' ? [before, ...(await rolesOf(id))] : [before];
      return all.filter((resource) => !isGiven(resource)).map(indexResource);
    },
    /** Returns the id of a role's Organization, and the ids of the Organizations above it (`partOf`). */
    async organizationsOf({ resource }: IndexedResource): Promise<string[]> {
      const ids: string[] = [];
      const { organization } = resource as { organization?: { reference?: string } };
      for (let id = idIn(organization?.reference); id !== undefined && !ids.includes(id); ) {
        ids.push(id);
        const found = await read('Organization', id);
        id = found?.resourceType === 'Organization' ? idIn(found.partOf?.reference) : undefined;
      }
      return ids;
    },
    async close(): Promise<void> {
      await (await opened)?.close();
    },
  };
}

function resourceIn(json: string): DirectoryResource {
  return withoutMeta(JSON.parse(json) as DirectoryResource);
}

function idIn(reference: string | undefined): string | undefined {
  return /^Organization\/(.+)$/.exec(reference ?? '')?.[1];
}
