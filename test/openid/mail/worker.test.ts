// The worker of the mail queue with a real mail server: an outage, a process that dies after sending, what is given up, two services.

import { setTimeout } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createComposer } from '#openid/mail/compose.ts';
import { type MailSender, startMailWorker } from '#openid/mail/mail-queue-worker.ts';
import { smtpSender } from '#openid/mail/smtp.ts';
import { notifyOperator } from '#server/notify-operator.ts';
import type { AuditEvent } from '#shared/audit/events.ts';
import type { OutboxWorker } from '#shared/outbox-worker.ts';
import { openAccounts } from '#store/accounts/accounts.ts';
import { openActionTokens } from '#store/accounts/action-tokens.ts';
import { openAccountDeletion } from '#store/accounts/delete-account.ts';
import { type Database, epochSeconds, openDatabase } from '#store/database/connection.ts';
import { type MailQueue, openMailQueue } from '#store/outbox/mail-queue.ts';
import { NO_AUDIT } from '#support/audit-trail.ts';
import { bothEngines } from '#support/both-engines.ts';
import { openTestDatabase, type TestDatabase } from '#support/databases.ts';
import { freePort } from '#support/free-port.ts';
import { type MailServer, startMailServer, trustMailServer } from '#support/openid/mail/mail-server.ts';
import { until } from '#support/until.ts';

const SERVICE = { issuer: 'https://connect.clinic.example', branding: { name: 'Hygie', colour: '#0b5f6b' } };
const LIFETIMES = { invitation: 600, passwordReset: 600, emailVerification: 600, emailChange: 600 };
const CHANGED = 'account.password-changed';

describe.each(bothEngines('openid/mail/worker'))('sending of mails on %s', (engine) => {
  let opened: TestDatabase;
  let queue: MailQueue;
  let server: MailServer;
  let distrust: () => void;
  let people = 0;
  const workers: OutboxWorker[] = [];
  const events: AuditEvent[] = [];
  const logged: string[] = [];
  const keep = (_fields: unknown, message?: string) => void logged.push(message ?? String(_fields));
  const log = { error: keep, warn: keep, info: keep };

  beforeAll(async () => {
    distrust = trustMailServer();
    [opened, server] = await Promise.all([openTestDatabase(engine), startMailServer()]);
    queue = openMailQueue(opened.database);
  });
  afterEach(async () => {
    await Promise.all(workers.splice(0).map((worker) => worker.close()));
    server.refuse = {};
    for (const list of [server.received, events, logged]) list.length = 0;
    await opened.database('mail_queue').delete();
  });
  afterAll(async () => {
    distrust();
    await server.close();
    await opened.close();
  });

  const added = async () => {
    people += 1;
    const email = `camille-${people}@clinic.example`;
    const [created] = await openAccounts(opened.database).create([{ email, name: 'Camille Exemple' }]);
    return created?.id ?? '';
  };
  const composer = (database: Database) =>
    createComposer({ ...SERVICE, find: openAccounts(database).find, links: openActionTokens(database, LIFETIMES) });
  interface Changes {
    queue?: MailQueue;
    sender?: MailSender;
    database?: Database;
    port?: number;
    rest?: number;
    answerRequest?: () => Promise<void>;
  }
  const start = (changes: Changes = {}) => {
    const { database = opened.database, port = server.port } = changes;
    const worker = startMailWorker({
      queue: openMailQueue(database),
      compose: composer(database),
      answerRequest: async () => {},
      sender: smtpSender(server.settings({ port }), SERVICE),
      audit: { ...NO_AUDIT, note: (event) => void events.push(event) },
      log,
      rest: 0,
      ...changes,
    });
    workers.push(worker);
    worker.wake();
    return worker;
  };
  const noted = (name: string) => events.filter(({ event }) => event === name);
  const dueNow = () => opened.database('mail_queue').whereNotNull('due_at').update({ due_at: epochSeconds() });

  it('tells the operator what happened, in the language of the settings, and the same once a day', async () => {
    const settings = { mail: server.settings({ operator: 'Équipe <it@clinic.example>' }) };
    const tell = (reason: string, to: Parameters<typeof notifyOperator>[1] = settings) =>
      notifyOperator(opened.database, to, 'directory.refused', ['The edition of today:', reason]);
    expect(await tell('half of it is missing')).toBe(true);
    expect(await tell('half of it is missing')).toBe(false);
    expect(await tell('another half', {})).toBe(false);
    start();
    await until(() => server.received.length === 1, 'it came');
    expect(await tell('half of it is missing')).toBe(false);
    const [mail] = server.received;
    expect(mail?.to).toMatchObject({ text: 'it@clinic.example' });
    expect(mail?.text).toContain('half of it is missing');
    expect(mail?.subject).toBe('Hygie\u00a0: La nouvelle édition de l’annuaire a été refusée');
    await until(() => noted('mail.sent').length === 1, 'it was noted');
    expect(noted('mail.sent')[0]).toMatchObject({ account: undefined, details: { kind: 'operator' } });
    expect(await tell('another half')).toBe(true);
  });

  it('sends what waited while the mail server was away, once it is back, and says so once', async () => {
    const accounts = [await added(), await added()];
    for (const accountId of accounts) await queue.enqueue({ kind: 'notice', topic: CHANGED, accountId });
    const port = await freePort();
    const worker = start({ port });
    await until(() => noted('mail.failed').length === 2, 'both failed');
    expect(noted('mail.failed')).toMatchObject([
      { details: { kind: 'notice', about: CHANGED, attempt: 1, againIn: 5 } },
      { details: { attempt: 1 } },
    ]);
    expect(logged).toEqual(['mails cannot be sent: they are tried again']);
    expect(await queue.waiting()).toMatchObject({ count: 2 });
    const back = await startMailServer({}, port);
    try {
      await dueNow();
      worker.wake();
      await until(() => noted('mail.sent').length === 2, 'both are sent');
      expect(back.received.map(({ recipients }) => recipients[0]).sort()).toEqual([
        `camille-${people - 1}@clinic.example`,
        `camille-${people}@clinic.example`,
      ]);
      expect(noted('mail.sent')).toMatchObject([{ details: { attempt: 2 } }, { details: { attempt: 2 } }]);
      expect(logged).toEqual(['mails cannot be sent: they are tried again', 'mails are sent again']);
      expect(await queue.waiting()).toEqual({ count: 0 });
    } finally {
      await back.close();
    }
  });

  it('sends again what a process had sent that died before it could note it: the same id, but another link', async () => {
    const accountId = await added();
    await queue.enqueue({ kind: 'notice', topic: CHANGED, accountId });
    await queue.enqueue({ kind: 'password-reset', accountId });
    // Its process ends with the mail server's answer: nothing is noted, and nobody gives back what it took.
    const died = async () => {
      throw new Error('killed');
    };
    start({ queue: { ...queue, end: died, postpone: died } });
    await until(() => logged.filter((line) => line.includes('noted as sent')).length === 2, 'it died');
    expect(server.received).toHaveLength(2);
    const lease = await opened.database('mail_queue').pluck('due_at');
    expect(lease.every((second) => Number(second) > epochSeconds() + 60)).toBe(true);
    await workers.splice(0)[0]?.close();

    await dueNow();
    start();
    await until(() => noted('mail.sent').length === 2, 'the next one sends both');
    const [notices, resets] = ['Votre mot de passe a été changé', 'Choisir un nouveau mot de passe'].map((subject) =>
      server.received.filter((mail) => mail.subject?.includes(subject)),
    );
    expect([notices?.length, resets?.length]).toEqual([2, 2]);
    expect(new Set(notices?.map(({ messageId }) => messageId)).size).toBe(1);
    expect(new Set(resets?.map(({ messageId }) => messageId)).size).toBe(2);
    // SEC-69: of both links the last one counts alone.
    const tokens = resets?.map(({ text }) => /password-reset\/([\w-]{43})/.exec(text ?? '')?.[1] ?? '') ?? [];
    const links = openActionTokens(opened.database, LIFETIMES);
    const good = await Promise.all(tokens.map((token) => links.find('password-reset', token)));
    expect(good.map((action) => action?.account.id)).toEqual([undefined, accountId]);
  });

  it('SEC-74 looks again whose a request is after that failed, and no record says so', async () => {
    await queue.request({ login: 'nobody@clinic.example', language: 'fr', sealed: 'x' });
    await dueNow();
    let looks = 0;
    const answerRequest = async () => {
      looks += 1;
      if (looks === 1) throw new Error('the database is away');
    };
    const { wake } = start({ answerRequest });
    await until(() => logged.includes('a mail could not be sent'), 'the first look fails');
    await dueNow();
    wake();
    await until(async () => (await queue.waiting()).count === 0, 'the second one succeeds');
    expect([looks, events]).toEqual([2, []]);
  });

  it('puts back what it was sending when it is closed, as if it had not been tried', async () => {
    const accountId = await added();
    await queue.enqueue({ kind: 'notice', topic: CHANGED, accountId });
    let sending = false;
    const sender: MailSender = {
      send: async (_message, signal) => {
        sending = true;
        await setTimeout(60_000, undefined, { signal });
      },
      close: () => {},
    };
    const worker = start({ sender });
    await until(() => sending, 'it is being sent');
    await worker.close();
    expect(await opened.database('mail_queue').select('attempts', 'due_at')).toMatchObject([{ attempts: 0 }]);
    expect(await queue.take({ most: 1, lease: 60 })).toHaveLength(1);
    expect(events).toEqual([]);
  });

  it('gives up an address that is refused, a mail that is too old, and one that nobody should have any more', async () => {
    const [refused, gone, disabled] = [await added(), await added(), await added()];
    server.refuse = { recipient: [550, 'no such mailbox'] };
    await queue.enqueue({ kind: 'password-reset', accountId: refused });
    const { wake } = start();
    await until(() => noted('mail.given-up').length === 1, 'the refused one');
    const row = await opened.database('mail_queue').where({ account_id: refused }).first();
    expect(row).toMatchObject({ due_at: null, address: null, details: null });

    server.refuse = { recipient: [450, 'come back later'] };
    await queue.enqueue({ kind: 'password-reset', accountId: refused });
    wake();
    await until(() => noted('mail.failed').length === 1, 'the late one, once');
    const hour = { created_at: epochSeconds() - 3600, due_at: epochSeconds() };
    await opened.database('mail_queue').whereNotNull('due_at').update(hour);
    wake();
    await until(() => noted('mail.given-up').length === 2, 'the late one');

    server.refuse = {};
    await openAccounts(opened.database).update(disabled, { status: 'disabled' });
    await openAccountDeletion(opened.database).remove(gone);
    for (const accountId of [gone, disabled]) await queue.enqueue({ kind: 'invitation', accountId });
    wake();
    await until(() => noted('mail.given-up').length === 4, 'those that nobody should have');
    expect(
      noted('mail.given-up')
        .map(({ account }) => account)
        .sort(),
    ).toEqual([refused, refused, gone, disabled].sort());
    const reason = 'there is no such account any more, or it has changed since';
    expect(noted('mail.given-up').at(-1)?.details).toEqual({ kind: 'invitation', attempt: 1, reason });
    expect(server.received).toEqual([]);
    expect(await queue.waiting()).toEqual({ count: 0 });
  });

  const onPostgres = engine === 'postgresql' ? it : () => undefined;
  onPostgres('two services on one database send each mail once', async () => {
    const other = openDatabase(opened.settings);
    try {
      const accounts = await Promise.all(Array.from({ length: 30 }, added));
      for (const accountId of accounts) await queue.enqueue({ kind: 'invitation', accountId });
      // Each holds its first mail until the other one has one, too: so neither sends them all alone.
      let begun = 0;
      const slow = (): MailSender => {
        const smtp = smtpSender(server.settings(), SERVICE);
        let first = true;
        const send: MailSender['send'] = async (message, signal) => {
          if (first) begun += 1;
          first = false;
          await until(() => begun === 2, 'the other one has a mail');
          await smtp.send(message, signal);
        };
        return { send, close: smtp.close };
      };
      start({ sender: slow() });
      start({ sender: slow(), database: other });
      await until(() => noted('mail.sent').length >= 30, 'all are sent');
      await Promise.all(workers.splice(0).map((worker) => worker.close()));
      expect(server.received).toHaveLength(30);
      expect(new Set(server.received.map(({ recipients }) => recipients[0])).size).toBe(30);
      expect(noted('mail.sent').every(({ details }) => details?.['attempt'] === 1)).toBe(true);
    } finally {
      await other.destroy();
    }
  });
});
