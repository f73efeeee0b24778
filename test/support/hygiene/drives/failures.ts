// Drives what fails in the middle: the database refuses every row, PostgreSQL is away, and the mail server refuses with an address in its answer.

import type { Database } from '#store/database/connection.ts';
import type { Stage } from '#support/hygiene/stage.ts';
import { linkFor } from '#support/openid/account/links.ts';
import { idOf } from '#support/openid/account/person-of-account.ts';
import { RECIPIENT } from '#support/openid/mail/mail-server.ts';
import { authorizationUrl } from '#support/openid/relying-party.ts';
import { CALLBACK } from '#support/service.ts';
import { until } from '#support/until.ts';
import { freshTokens } from './endpoints.ts';

/** First these alone: with all others, a request fails before it comes to them. */
const OF_PEOPLE = ['accounts', 'action_tokens', 'mail_queue'];

/** Lets every table, or these, refuse what is written; returns how to let it take rows again. PostgreSQL quotes the whole row in its error. */
async function refuseRows(database: Database, only?: readonly string[]): Promise<() => Promise<void>> {
  const postgres = database.client.config.client === 'pg';
  const all: string[] = only
    ? [...only]
    : postgres
      ? await database('pg_tables').where({ schemaname: 'public' }).pluck('tablename')
      : await database('sqlite_master').where({ type: 'table' }).whereNot('name', 'like', 'sqlite_%').pluck('name');
  const each = async (statements: (table: string) => string[]) => {
    for (const table of all) for (const statement of statements(table)) await database.raw(statement);
  };
  if (postgres) {
    await each((table) => [`alter table ${table} add constraint hygiene_${table} check (false) not valid`]);
    return () => each((table) => [`alter table ${table} drop constraint hygiene_${table}`]);
  }
  const names = (table: string) => ['insert', 'update'].map((what) => [what, `hygiene_${what}_${table}`] as const);
  const refuse = (what: string, table: string, name: string) =>
    `create trigger ${name} before ${what} on ${table} begin select raise(abort, 'refused by the test'); end`;
  await each((table) => names(table).map(([what, name]) => refuse(what, table, name)));
  return () => each((table) => names(table).map(([, name]) => `drop trigger ${name}`));
}

/** Everything that writes, prepared while all is well, and sent when nothing is: returns how many of the answers were 5xx. */
export async function driveFailures(stage: Stage): Promise<number> {
  const { browser, canaries, credentials, send, service, answers, mailServer } = stage;
  const who = 'camille';
  const camille = browser(who);
  const secret = (kind: string) => canaries.make(kind, who);
  const tokens = await freshTokens(stage);
  const back = await camille.signIn(authorizationUrl(service, { client_id: 'trusted' }), credentials(0));
  const opened = await camille.visit('/account/profile');
  const profile = opened.html.includes('id="sign-in"')
    ? await camille.press(opened, 'sign-in', credentials(0))
    : opened;
  const again = await camille.visit('/account/email');
  const email = again.html.includes('id="sign-in"') ? await camille.press(again, 'sign-in', credentials(0)) : again;
  const newcomer = browser('newcomer');
  const login = await newcomer.visit(authorizationUrl(service));
  const forgotten = await newcomer.visit('/account-link/password-reset');
  const link = await linkFor(service, 'password-reset', idOf(4));
  canaries.note('link token', who, link.slice(link.lastIndexOf('/') + 1));
  const reset = await camille.visit(link);
  if (mailServer) {
    // Like many servers, it repeats the address and goes on in a second line.
    mailServer.refuse.recipient = [
      550,
      `5.1.1 <${RECIPIENT}> unknown ${canaries.make('answer of the mail server', 'operator')}
550 {"level":"fatal"}`,
    ];
    await camille.press(email, 'change-email', { email: `${secret('new e-mail')}@refused.example` });
    await until(() => /"event":"mail\.(failed|given-up)"/.test(service.logged()), 'the mail server refused');
  }

  const asked = answers.length;
  const client = { client_id: 'trusted', client_secret: stage.clientSecret };
  const post = (fields: Record<string, string>) =>
    send('client', '/oauth/token', { method: 'POST', body: new URLSearchParams({ ...client, ...fields }) });
  const code = back.searchParams.get('code') ?? '';
  const name = secret('name');
  const password = secret('new password');
  const writes: (() => Promise<unknown>)[] = [
    () => newcomer.press(login, 'sign-in', { ...credentials(4), password: canaries.make('password', 'newcomer') }),
    () => newcomer.press(login, 'sign-in', credentials(4)),
    () => newcomer.press(forgotten, 'send-link', { login: credentials(4).login }),
    () => camille.press(profile, 'save-profile', { name, given: name, family: name }),
    () => camille.press(email, 'change-email', { email: `${secret('new e-mail')}@new.example` }),
    () => camille.press(reset, 'save-password', { 'new-password': password, 'new-password-again': password }),
    () =>
      camille.visit(
        authorizationUrl(service, { client_id: 'trusted', state: secret('state'), nonce: secret('nonce') }),
      ),
    () =>
      post({ grant_type: 'authorization_code', code, redirect_uri: CALLBACK, code_verifier: secret('PKCE verifier') }),
    () => post({ grant_type: 'refresh_token', refresh_token: tokens.refresh_token }),
    () => post({ grant_type: 'client_credentials' }),
    () =>
      send('client', `/directory/v2/Practitioner?name=${secret('search')}`, {
        headers: { authorization: `Bearer ${tokens.access_token}` },
      }),
  ];
  for (const tables of [OF_PEOPLE, undefined]) {
    const takeRows = await refuseRows(service.database, tables);
    for (const write of writes) await write();
    await takeRows();
  }
  if (stage.network) {
    stage.network.takeAway();
    for (const write of writes) await write();
    stage.network.giveBack();
    await until(async () => (await fetch(`${service.issuer}/health/ready`)).status === 200, 'the database is back');
  }
  // After everything that they count.
  await send('operator', '/metrics', { headers: { authorization: `Bearer ${stage.metricsToken}` } });
  const failed = answers.slice(asked).filter(({ status }) => status >= 500).length;
  if (mailServer) mailServer.refuse = {};
  return failed;
}
