// The links between sign-in accounts and the directory, and the changes that editions made to these links. They are read in pages, outside
// requests. An account's links are written only if nobody else has changed them since they were read.

import type { Knex } from 'knex';
import { present } from '#shared/present.ts';
import { batches, type Database, epochSeconds } from '#store/database/connection.ts';
import type { Row } from '#store/rows.ts';
import { type LinkChanges, type Links, type RecordIdentity, type Reference, referencesOf } from './link-changes.ts';

/**
 * For each linked id, the person or structure that the link means: the one that had this id when the link was made, or when an operator
 * last confirmed the link. Each edition in which the link holds brings these facts up to date.
 */
type LinkedAs = Readonly<Partial<Record<Reference, RecordIdentity>>>;

/** An account that is linked to something. */
export interface LinkedAccount extends Links {
  /** UUID. */
  id: string;
  email?: string;
  linkedAs: LinkedAs;
  linkChanges: LinkChanges;
  /** The columns as they were read. They show whether somebody has changed the account since. */
  row: Readonly<LinksRow>;
}

/** The state of an account's links that is to be stored. */
export interface KnownLinks {
  linkedAs: LinkedAs;
  linkChanges: LinkChanges;
}

const COLUMNS = [
  'id',
  'email',
  'practitioners',
  'workspaces',
  'current_workspace',
  'linked_as',
  'link_changes',
] as const;
type LinksRow = Pick<Row<'accounts'>, (typeof COLUMNS)[number]>;

/** Number of accounts that are read at once. */
const PAGE = 1000;

export type AccountLinks = ReturnType<typeof openAccountLinks>;

/** Opens the links of a database's accounts. */
export function openAccountLinks(database: Database) {
  async function* pages(narrow: (query: Knex.QueryBuilder) => void = () => {}): AsyncGenerator<LinkedAccount[]> {
    for (let after = ''; ; ) {
      const query = database('accounts')
        .select([...COLUMNS])
        .where('id', '>', after)
        .orderBy('id')
        .limit(PAGE);
      narrow(query.where((linked) => linked.whereNot('practitioners', '[]').orWhereNot('workspaces', '[]')));
      const rows: LinksRow[] = await query;
      if (rows.length > 0) yield rows.map(linkedAccountOf);
      if (rows.length < PAGE) return;
      after = rows.at(-1)?.id ?? '';
    }
  }

  return {
    /**
     * Lists all accounts with links, in pages. `changedSince` (in seconds since the epoch) leaves out accounts that were not changed since
     * then.
     */
    pages: (changedSince = 0) => pages((query) => changedSince > 0 && query.where('updated_at', '>=', changedSince)),
    /** Lists, in pages, the accounts that may sign in and have a link that does not hold in some edition. */
    changed: () => pages((query) => query.whereNotNull('link_changes').where({ status: 'active' })),
    /** Returns the accounts with these ids that have links. */
    withIds: async (ids: readonly string[]): Promise<LinkedAccount[]> => {
      const found: LinkedAccount[] = [];
      for (const some of batches(ids)) {
        for await (const page of pages((query) => query.whereIn('id', some))) found.push(...page);
      }
      return found;
    },
    /**
     * Returns the references in the list to which some account is linked. Each call reads all accounts, so ask for many references at a
     * time.
     */
    linkedIds: async (references: readonly string[]): Promise<Set<string>> => {
      const wanted = new Set(references);
      const linked = new Set<string>();
      if (wanted.size === 0) return linked;
      for await (const accounts of pages()) {
        for (const reference of accounts.flatMap(referencesOf)) if (wanted.has(reference)) linked.add(reference);
      }
      return linked;
    },
    /**
     * Stores the state of these accounts' links. Accounts that were changed since they were read are left out. Returns the ids of the
     * stored accounts.
     */
    store: async (known: readonly (KnownLinks & { account: LinkedAccount })[]): Promise<Set<string>> => {
      const stored = new Set<string>();
      for (const some of batches(known)) for (const id of await storeSome(database, some)) stored.add(id);
      return stored;
    },
    /**
     * Changes an account's links to those that `change` returns. If somebody else changes the links meanwhile, `change` is called again
     * with the new ones. `confirmed` are the records of which an operator says that they belong to this account. For these records, and for
     * those that are no longer linked, the stored identity and the stored change are removed. Returns false if there is no such account.
     */
    relink: async (id: string, change: (links: Links) => Links & { confirmed: readonly Reference[] }) => {
      for (;;) {
        const row: LinksRow | undefined = await database('accounts')
          .select([...COLUMNS])
          .where({ id })
          .first();
        if (!row) return false;
        const before = linkedAccountOf(row);
        const links = change(before);
        const kept = new Set(referencesOf(links));
        for (const reference of links.confirmed) kept.delete(reference);
        const keep = (all: object) =>
          jsonOf(Object.fromEntries(Object.entries(all).filter(([reference]) => kept.has(reference as Reference))));
        const changed = await database('accounts')
          .where({ id, practitioners: row.practitioners, workspaces: row.workspaces })
          .whereRaw(
            'current_workspace is not distinct from ? and linked_as is not distinct from ? and link_changes is not distinct from ?',
            [row.current_workspace, row.linked_as, row.link_changes],
          )
          .update({
            practitioners: JSON.stringify(links.practitioners),
            workspaces: JSON.stringify(links.workspaces),
            current_workspace: links.currentWorkspace ?? null,
            linked_as: keep(before.linkedAs),
            link_changes: keep(before.linkChanges),
            updated_at: epochSeconds(),
          });
        if (changed > 0) return true;
      }
    },
  };
}

const COMPARED = ['practitioners', 'workspaces', 'linked_as', 'link_changes'] as const;
const WANTED = ['id', ...COMPARED, 'new_as', 'new_changes'] as const;

// Stores all accounts in one statement. With a statement for each of a hundred thousand accounts, the caller would wait a hundred thousand
// times for PostgreSQL's response.
async function storeSome(
  database: Database,
  known: readonly (KnownLinks & { account: LinkedAccount })[],
): Promise<string[]> {
  const values = known.map(({ account: { row }, linkedAs, linkChanges }) => [
    row.id,
    ...COMPARED.map((column) => row[column]),
    jsonOf(linkedAs),
    jsonOf(linkChanges),
  ]);
  const same = COMPARED.map((column) => `accounts.${column} is not distinct from wanted.${column}`).join(' and ');
  const result = await database.raw(
    `with wanted(${WANTED.join(', ')}) as (values ${values.map((row) => `(${row.map(() => '?').join(', ')})`).join(', ')})
     update accounts set linked_as = wanted.new_as, link_changes = wanted.new_changes from wanted
     where accounts.id = wanted.id and ${same} returning accounts.id`,
    values.flat() as string[],
  );
  const rows: { id: string }[] = result.rows ?? result;
  return rows.map(({ id }) => id);
}

function jsonOf(value: object): string | null {
  return Object.keys(value).length === 0 ? null : JSON.stringify(value);
}

function linkedAccountOf(row: LinksRow): LinkedAccount {
  return {
    id: row.id,
    ...present({ email: row.email, currentWorkspace: row.current_workspace }),
    practitioners: JSON.parse(row.practitioners) as string[],
    workspaces: JSON.parse(row.workspaces) as string[],
    linkedAs: JSON.parse(row.linked_as ?? '{}') as LinkedAs,
    linkChanges: JSON.parse(row.link_changes ?? '{}') as LinkChanges,
    row,
  };
}
