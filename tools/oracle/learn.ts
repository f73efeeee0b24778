// Learns the ids of roles, which are the service's own affair: each role of the files has to be served once, with its content, and no other.

import type { Bundle, Client } from './ask.ts';
import { linkOf, matchesOf } from './ask.ts';
import { roleKey } from './edition/edition.ts';
import type { Edition } from './edition/entry.ts';

interface Learnt {
  edition: Edition;
  /** Roles that are served and not in the files, or the other way round. */
  differences: readonly string[];
}

interface Role {
  id: string;
  practitioner: { reference: string };
  organization?: { reference: string };
  code?: { coding: { code: string }[] }[];
}

/** The edition with the ids of its roles. */
export async function learnRoles(client: Client, edition: Edition): Promise<Learnt> {
  const ids = new Map<string, string>();
  const differences: string[] = [];
  let { bundle } = await client.search('PractitionerRole', [['_count', '200']]);
  for (let next: string | undefined = ''; next !== undefined; ) {
    for (const role of rolesIn(bundle)) {
      const key = keyOf(role);
      if (ids.has(key)) differences.push(`${role.id} has the content of ${ids.get(key)}`);
      ids.set(key, role.id);
    }
    next = linkOf(bundle, 'next');
    if (next !== undefined) ({ bundle } = await client.follow(next));
  }
  const roles = edition.entries.PractitionerRole.map((role) => ({
    ...role,
    id: ids.get(role.id) ?? role.id,
    key: role.id,
  }));
  for (const { key } of roles) if (!ids.has(key)) differences.push(`no role is ${key}`);
  const stated = new Set(roles.map(({ key }) => key));
  for (const [key, id] of ids) if (!stated.has(key)) differences.push(`${id} is in no file`);
  return {
    edition: {
      entries: { ...edition.entries, PractitionerRole: roles },
      numbers: { ...edition.numbers, PractitionerRole: new Map(roles.map(({ id }, number) => [id, number])) },
    },
    differences,
  };
}

const rolesIn = (bundle: Bundle) => matchesOf(bundle).map(({ resource }) => resource as unknown as Role);

function keyOf({ practitioner, organization, code = [] }: Role): string {
  const idOf = (reference = '') => reference.split('/').at(-1) ?? '';
  const codes = code.flatMap(({ coding }) => coding.map((one) => one.code));
  return roleKey(idOf(practitioner.reference), idOf(organization?.reference), codes);
}
