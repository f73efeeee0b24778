// The name of a person or structure in the directory, for pages that show what an account is linked to.

import type { HumanName } from 'fhir/r3.js';
import type { Snapshot } from '../../search-index/index.ts';

/** The name of a record in the current edition; undefined where there is none, or while the directory cannot be read. */
export function createRecordNames(snapshots: { current(): Pick<Snapshot, 'read'> | undefined }) {
  return async (type: 'Practitioner' | 'Organization', id: string): Promise<string | undefined> => {
    // A page shows other things as well: it does not fail for a name.
    const found = await snapshots
      .current()
      ?.read(type, id)
      .catch(() => undefined);
    const { name } = JSON.parse(found?.json ?? '{}') as { name?: string | HumanName[] };
    return typeof name === 'string' ? name : name?.[0] && inWords(name[0]);
  };
}

function inWords({ prefix = [], given = [], family = '' }: HumanName): string {
  return [...prefix, ...given, family].filter((part) => part !== '').join(' ');
}
