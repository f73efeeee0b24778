// What sign-in accounts are linked to in the directory, for the comparison with an edition: read in pages, by nobody's request.

import type { Database } from '../database/connection.ts';

/** A record of the directory: `Practitioner/810000000001`, `Organization/F690000013`. */
export type Reference = `${'Practitioner' | 'Organization'}/${string}`;

/** An account that is linked to something. */
export interface LinkedAccount {
  /** UUID. */
  id: string;
  practitioners: string[];
  workspaces: string[];
}

interface Row {
  id: string;
  practitioners: string;
  workspaces: string;
}

/** Accounts that are read at once. */
const PAGE = 1000;

export type AccountLinks = ReturnType<typeof openAccountLinks>;

/** Opens the links of a database's accounts. */
export function openAccountLinks(database: Database) {
  async function* pages(): AsyncGenerator<LinkedAccount[]> {
    for (let after = ''; ; ) {
      const rows: Row[] = await database('accounts')
        .select('id', 'practitioners', 'workspaces')
        .where('id', '>', after)
        .where((linked) => linked.whereNot('practitioners', '[]').orWhereNot('workspaces', '[]'))
        .orderBy('id')
        .limit(PAGE);
      if (rows.length > 0) yield rows.map(linkedAccountOf);
      if (rows.length < PAGE) return;
      after = rows.at(-1)?.id ?? '';
    }
  }

  return {
    /** All accounts that are linked to something, in pages. */
    pages,
    /** Which of these records sign-in accounts are linked to. Reads all accounts once: ask for many at a time. */
    linkedIds: async (references: readonly string[]): Promise<Set<string>> => {
      const wanted = new Set(references);
      const linked = new Set<string>();
      if (wanted.size === 0) return linked;
      for await (const accounts of pages()) {
        for (const reference of accounts.flatMap(referencesOf)) if (wanted.has(reference)) linked.add(reference);
      }
      return linked;
    },
  };
}

/** All that an account is linked to. */
export function referencesOf({ practitioners, workspaces }: Pick<LinkedAccount, 'practitioners' | 'workspaces'>) {
  return [
    ...practitioners.map((id): Reference => `Practitioner/${id}`),
    ...workspaces.map((id): Reference => `Organization/${id}`),
  ];
}

function linkedAccountOf(row: Row): LinkedAccount {
  return {
    id: row.id,
    practitioners: JSON.parse(row.practitioners) as string[],
    workspaces: JSON.parse(row.workspaces) as string[],
  };
}
