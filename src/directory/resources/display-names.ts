// Owns what the directory calls a person or a place, for pages that show people to what their account is linked.
// Does not own those pages, nor what the directory answers to applications.

import type { Snapshot } from '../../search-index/index.ts';

interface HumanName {
  prefix?: string[];
  given?: string[];
  family?: string;
}

/** The name of a record in the current edition; undefined where there is none, or while the directory cannot be read. */
export function createRecordNames(snapshots: { current(): Pick<Snapshot, 'read'> | undefined }) {
  return async (type: 'Practitioner' | 'Organization', id: string): Promise<string | undefined> => {
    // A page that also says other things does not fail for it.
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
