// Finds resources of the served directory again, in place of those that are doubtful in the new edition.

import type { WarningKind } from '#import/collect/warnings.ts';
import { type DirectoryResource, indexResource, withoutMeta } from '#import/fhir/index-entries.ts';
import { ROLE_ID } from '#import/mapping/practitioner-role.ts';
import { type IndexedResource, openSnapshot, type ResourceType, type Snapshot } from '#search-index/index.ts';

/** A resource that is better left as it was, because its lines describe several people or structures. */
export interface Doubtful {
  doubtful: { type: 'Practitioner' | 'Organization'; id: string };
  /** Resources that are written if the resource was not there before, and what the report says of that. */
  fallback: readonly IndexedResource[];
  fallbackText: string;
  /** Reason of the doubt; absent if there is nothing to report. */
  warning?: { kind: WarningKind; text: string };
  /** Tells whether a resource came as FHIR. It is then kept as it is. */
  isGiven?(resource: DirectoryResource): boolean;
}

/** Most roles of one person. */
const MOST_ROLES = 1000;

/** @param file file of the served snapshot, which is opened on first use; absent if there is none to compare with */
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

  /** Roles that were made of the lines of a person. Roles that came as FHIR come again by themselves. */
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
    /** The earlier resources, ready to be written again: a Practitioner comes with its roles. Undefined if there were none. */
    async of({ doubtful: { type, id }, isGiven = () => false }: Doubtful): Promise<IndexedResource[] | undefined> {
      const before = await read(type, id);
      if (!before) return undefined;
      const all = type === 'Practitioner' ? [before, ...(await rolesOf(id))] : [before];
      return all.filter((resource) => !isGiven(resource)).map(indexResource);
    },
    /** The Organization of a role, and those that it is part of. */
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
