// Finds resources of the edition in force that replace doubtful resources of the new edition.

import type { WarningKind } from '#import/collect/warnings.ts';
import { type DirectoryResource, indexResource, withoutMeta } from '#import/fhir/index-entries.ts';
import { ROLE_ID } from '#import/mapping/practitioner-role.ts';
import { type IndexedResource, openSnapshot, type ResourceType, type Snapshot } from '#search-index/index.ts';

/**
 * A resource that is doubtful because its lines describe several people or structures, or because nothing describes it. If the edition in
 * force has the resource, it stays as it was.
 */
export interface Doubtful {
  doubtful: { type: 'Practitioner' | 'Organization'; id: string };
  /** The resources that are written if the edition in force lacks this resource. `fallbackText` tells in the report what was done. */
  fallback: readonly IndexedResource[];
  fallbackText: string;
  /** Reason of the doubt, for the report. Absent if there is nothing to report. */
  warning?: { kind: WarningKind; text: string };
  /** Tells whether a FHIR file of the new edition contains this resource. The earlier resource is then not written. */
  isGiven?(resource: DirectoryResource): boolean;
}

/** Maximum number of roles that are found for one person. */
const MOST_ROLES = 1000;

/** @param file the file of the snapshot in force, which is opened at the first use. Undefined if the edition is not compared with it. */
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

  /**
   * Returns the earlier roles that an import made from the lines of this person. Roles from FHIR files are left out, because the new
   * edition has its own FHIR files.
   */
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
    /**
     * Returns the earlier resources without their `meta` and with new index entries. A Practitioner comes with its roles. Undefined if the
     * edition in force does not have the resource.
     */
    async of({ doubtful: { type, id }, isGiven = () => false }: Doubtful): Promise<IndexedResource[] | undefined> {
      const before = await read(type, id);
      if (!before) return undefined;
      const all = type === 'Practitioner' ? [before, ...(await rolesOf(id))] : [before];
      return all.filter((resource) => !isGiven(resource)).map(indexResource);
    },
    /** Returns the ids of the Organization of a role, of its parent (`partOf`), and so on up to the highest one. */
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
