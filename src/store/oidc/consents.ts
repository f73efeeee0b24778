// The table of consents: the scopes that a person has granted a client, remembered beyond one session.

import { type Database, epochSeconds } from '#store/database/connection.ts';
import { prepare, PLACEHOLDER as X } from '#store/database/prepared.ts';
import type { OidcRecords } from '#store/oidc/oidc-records.ts';
import type { Row } from '#store/rows.ts';

export type Consents = ReturnType<typeof openConsents>;

/** Opens the consents of a database. */
export function openConsents(database: Database) {
  const select = prepare<{ scopes: string }>(database, (knex) =>
    knex('consents').select('scopes').where('account_id', X).where('client_id', X).where('given_at', '>', X),
  );
  const selectRow = prepare<Row<'consents'>>(database, (knex) =>
    knex('consents').select('scopes', 'given_at').where('account_id', X).where('client_id', X),
  );
  const row = (knex: Database) => knex('consents').where('account_id', X).where('client_id', X);
  const replace = prepare(database, (knex) =>
    row(knex).where('scopes', X).where('given_at', X).update({ given_at: X, scopes: X }),
  );
  const insert = prepare(database, (knex) =>
    knex('consents')
      .insert({ account_id: X, client_id: X, given_at: X, scopes: X })
      .onConflict(['account_id', 'client_id'])
      .ignore(),
  );
  const find = async (accountId: string, clientId: string, maxAge: number) =>
    (await select(accountId, clientId, epochSeconds() - maxAge)).rows[0]?.scopes.split(' ') ?? [];
  return {
    /** Returns the scopes that the person has granted the client. The list is empty if the last grant is more than `maxAge` seconds old. */
    find,
    /**
     * Adds scopes to the scopes of the stored consent. If that consent is more than `maxAge` seconds old, the new scopes replace its scopes
     * instead. All scopes get the current time as the time of the grant.
     */
    give: async (accountId: string, clientId: string, scopes: readonly string[], maxAge: number): Promise<void> => {
      for (;;) {
        // The row is written only if it is as it was read, so that no simultaneous withdrawal or consent is lost (SEC-55). Otherwise it is
        // read again.
        const known = (await selectRow(accountId, clientId)).rows[0];
        const counts = known && Number(known.given_at) > epochSeconds() - maxAge;
        const all = [...new Set([...(counts ? known.scopes.split(' ') : []), ...scopes])].join(' ');
        const { changed } = known
          ? await replace(epochSeconds(), all, accountId, clientId, known.scopes, Number(known.given_at))
          : await insert(accountId, clientId, epochSeconds(), all);
        if (changed > 0) return;
      }
    },
    /** Deletes the consent. Returns false if there was none. */
    revoke: async (accountId: string, clientId: string): Promise<boolean> =>
      (await database('consents').where({ account_id: accountId, client_id: clientId }).delete()) > 0,
    /** Lists all consents of a person, however old. `givenAt` is the second of the last grant. */
    list: async (accountId: string): Promise<{ clientId: string; scopes: string[]; givenAt: number }[]> => {
      const rows: Row<'consents'>[] = await database('consents')
        .select('client_id', 'scopes', 'given_at')
        .where({ account_id: accountId })
        .orderBy('client_id');
      return rows.map((row) => ({
        clientId: row.client_id,
        scopes: row.scopes.split(' '),
        givenAt: Number(row.given_at),
      }));
    },
  };
}

/**
 * Revokes a person's consent to an application, together with all tokens of the application for this person. Returns false if there was
 * neither consent nor token.
 */
export async function revokeConsent(
  consents: Pick<Consents, 'revoke'>,
  records: Pick<OidcRecords, 'endGrantsTo'>,
  accountId: string,
  clientId: string,
): Promise<boolean> {
  // The tokens end before the consent is deleted. So if the process dies in between, the person still finds the consent, and can revoke it
  // again. The second time, the tokens end that a simultaneous sign-in got until then. A later sign-in asks for consent again.
  const held = await records.endGrantsTo(accountId, clientId);
  const given = await consents.revoke(accountId, clientId);
  const late = await records.endGrantsTo(accountId, clientId);
  return given || held + late > 0;
}
