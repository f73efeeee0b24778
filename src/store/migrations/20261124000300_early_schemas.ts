// Brings databases up to date that were made while a migration had another text than today: on the main branch, some were changed after
// they had been there. A database made since has nothing to change. Decision 0089.

import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  const onPostgres = knex.client.config.client === 'pg';
  await mendRecords(knex, onPostgres);
  await makeMissingTables(knex);
  await mendJudgements(knex, onPostgres);
  // REPLACE removes the row that is in its way without a word to the other triggers. PostgreSQL has no such statement.
  if (!onPostgres) {
    await knex.raw(`create trigger if not exists audit_events_new before insert on audit_events
     when exists (select 1 from audit_events where id = new.id) or exists (select 1 from audit_events where sequence = new.sequence)
     begin select raise(abort, 'the audit trail is never changed'); end`);
  }
}

/** Of 20261121000100: accounts of records, digests of grants, and indexes of the rows that are looked for by them. */
async function mendRecords(knex: Knex, onPostgres: boolean): Promise<void> {
  if (!(await knex.schema.hasColumn('oidc_records', 'account_id'))) {
    // They do not say whose they are, and no grant is found by them: everybody signs in again.
    await knex('oidc_records').delete();
    await knex.schema.alterTable('oidc_records', (table) => {
      table.string('account_id', 36);
    });
    // SQLite knows no lengths.
    if (onPostgres) await knex.raw('alter table oidc_records alter column grant_id type varchar(43)');
  }
  await knex.raw('drop index if exists oidc_records_model_uid_index');
  await knex.raw(
    `create index if not exists oidc_records_account on oidc_records (account_id) where model in ('Grant', 'Session')`,
  );
  await knex.raw(`create index if not exists oidc_records_session_uid on oidc_records (uid) where model = 'Session'`);
}

/** Of 20261121000100 and 20261122000200, which once dropped the failures that instances of the release before still count. */
async function makeMissingTables(knex: Knex): Promise<void> {
  if (!(await knex.schema.hasTable('consents'))) {
    await knex.schema.createTable('consents', (table) => {
      table.string('account_id', 36).notNullable().references('id').inTable('accounts').onDelete('CASCADE');
      table.string('client_id', 128).notNullable();
      table.text('scopes').notNullable();
      table.bigInteger('given_at').notNullable();
      table.primary(['account_id', 'client_id']);
    });
  }
  if (!(await knex.schema.hasTable('sign_in_failures'))) {
    await knex.schema.createTable('sign_in_failures', (table) => {
      table.string('key', 43).primary();
      table.integer('count').notNullable();
      table.bigInteger('expires_at').notNullable().index();
    });
  }
}

/** Of 20261123000100: what an edition removed and the operator accepted was not kept at first. */
async function mendJudgements(knex: Knex, onPostgres: boolean): Promise<void> {
  if (await knex.schema.hasColumn('directory_judgements', 'removed')) return;
  if (onPostgres) {
    await knex.raw(`alter table directory_judgements
      add column removed text not null default '{}', add column accepted text not null default '[]',
      add column left_by_rollback boolean not null default false`);
    await knex.raw(
      'alter table directory_judgements alter column removed drop default, alter column accepted drop default',
    );
    return;
  }
  // SQLite adds no column that must have a value without giving it a default for good: the table is made anew.
  await knex.raw('drop index directory_judgements_made_at_index');
  await knex.raw('drop index directory_judgements_snapshot_index');
  await knex.schema.renameTable('directory_judgements', 'early_judgements');
  await knex.schema.createTable('directory_judgements', (table) => {
    table.increments('id');
    table.bigInteger('made_at').notNullable().index();
    table.string('snapshot', 64).index();
    table.text('counts').notNullable();
    table.text('editions').notNullable();
    table.text('statistics').notNullable();
    table.text('report').notNullable();
    table.text('removed').notNullable();
    table.text('accepted').notNullable();
    table.boolean('left_by_rollback').notNullable().defaultTo(false);
  });
  const kept = 'id, made_at, snapshot, counts, editions, statistics, report';
  await knex.raw(
    `insert into directory_judgements (${kept}, removed, accepted) select ${kept}, '{}', '[]' from early_judgements`,
  );
  await knex.schema.dropTable('early_judgements');
}
