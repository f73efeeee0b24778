// Expired records for the clean-up to remove, in SQLite's file.

import BetterSqlite3 from 'better-sqlite3';

/** A payload as large as that of an access token. */
const PAYLOAD = JSON.stringify({ kind: 'AccessToken', claims: 'x'.repeat(480) });

/** Adds expired tokens of many grants, with ids in no order, as digests are. No service should be at work upon the file. */
export function fillWithExpired(file: string, rows: number): void {
  const database = new BetterSqlite3(file);
  database.pragma('synchronous = OFF');
  database
    .prepare(
      `with recursive n(i) as (select 0 union all select i + 1 from n where i < ? - 1)
       insert into oidc_records (model, id, payload, grant_id, uid, account_id, expires_at)
       select case i % 3 when 0 then 'AuthorizationCode' when 1 then 'AccessToken' else 'Interaction' end,
         substr(hex(randomblob(22)), 1, 43), ?, substr(hex(randomblob(22)), 1, 43), hex(randomblob(10)),
         'account', unixepoch() - 3600 + i / 1000 from n`,
    )
    .run(rows, PAYLOAD);
  database.pragma('wal_checkpoint(TRUNCATE)');
  database.close();
}

/** Those that are left. */
export function expiredIn(file: string): number {
  const database = new BetterSqlite3(file, { readonly: true });
  const count = database.prepare('select count(*) from oidc_records where expires_at < unixepoch() - 60').pluck().get();
  database.close();
  return count as number;
}
