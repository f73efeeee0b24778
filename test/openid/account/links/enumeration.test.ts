// SEC-39, SEC-69, SEC-74: neither an answer, nor what follows it, says who has an account. Counted, not timed: whoever is asked for, a
// request makes the same statements, and leaves the same rows. `npm run bench:logins` measures the times.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openTracing } from '#server/tracing/open-tracing.ts';
import type { Tracing } from '#server/tracing/tracing.ts';
import { openAccounts } from '#store/accounts/accounts.ts';
import { openAuditEvents } from '#store/audit/audit-events.ts';
import { askedLongAgo, mailsGone } from '#support/openid/account/links.ts';
import { credentialsOf, enteredBy, idOf, openAccount } from '#support/openid/account/person-of-account.ts';
import { mailInOutbox } from '#support/openid/mail/outbox.ts';
import { authorizationUrl } from '#support/openid/relying-party.ts';
import { createPerson, type Visit } from '#support/person.ts';
import { type RunningService, startService } from '#support/service.ts';
import { type Collector, startCollector } from '#support/tracing/collector.ts';
import { until } from '#support/until.ts';

describe('enumeration of accounts', () => {
  let collector: Collector;
  let tracing: Tracing | undefined;
  let service: RunningService;
  beforeAll(async () => {
    collector = await startCollector();
    Object.assign(process.env, {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_BSP_SCHEDULE_DELAY: '20',
    });
    tracing = await openTracing(process.env, () => {});
    service = await startService({ tracing });
    const accounts = openAccounts(service.database);
    await accounts.create([{ email: 'invited@clinic.example', name: 'Invited' }]);
    const [disabled] = await accounts.create([{ email: 'disabled@clinic.example', name: 'Disabled' }]);
    await accounts.update(disabled?.id ?? '', { status: 'disabled' });
  });
  afterAll(async () => {
    await service.stop();
    await tracing?.close();
    await collector.close();
  });

  const KNOWN = credentialsOf(0).login;
  const LOGINS = [KNOWN, 'invited@clinic.example', 'disabled@clinic.example', 'nobody@clinic.example'];

  /** What is answered, and the statements and other work that were done for it, without what differs between any two answers. */
  async function answerTo(login: string, ask: () => Promise<Visit>) {
    const { status, html, headers } = await ask();
    const id = headers.get('x-request-id') ?? '';
    const root = () => collector.spans().find((span) => span.attributes['hygie.request_id'] === id);
    await until(() => root() !== undefined, `a span of the request ${id}`);
    const ofTrace = collector.spans().filter(({ traceId }) => traceId === root()?.traceId);
    return {
      status,
      html: html
        .replaceAll('<wbr>', '')
        .replaceAll(login, 'LOGIN')
        .replaceAll(/(csrf|"challenge":|passkey-challenge)[^>]*>/g, '')
        .replaceAll(/\/interaction\/[\w-]+|sign-in=[\w-]+/g, ''),
      names: [...headers.keys()].sort(),
      work: ofTrace.map(({ name, attributes }) => `${name} ${attributes['db.query.text'] ?? ''}`),
    };
  }

  const requests = () => service.database('mail_queue').where({ kind: 'password-reset', account_id: '' }).orderBy('id');

  it('SEC-74 whoever is asked for, a forgotten password is one row of the same form and the same work; whose it is is looked up later', async () => {
    const answers: Awaited<ReturnType<typeof answerTo>>[] = [];
    for (const login of LOGINS) {
      const person = createPerson(service.issuer);
      person.cookies.set('hygie_language /', 'en');
      const page = await person.visit('/account-link/password-reset');
      answers.push(await answerTo(login, () => person.press(page, 'send-link', { login })));
    }
    const [known, ...others] = answers;
    expect(known).toMatchObject({ status: 200, html: expect.stringContaining('LOGIN') });
    expect(known?.work.filter((work) => work.includes('mail_queue')).length).toBeGreaterThan(0);
    // No look at the accounts, and no record, which would be of a known one alone.
    expect(known?.work.filter((work) => /accounts|audit_events/.test(work))).toEqual([]);
    for (const other of others) expect(other).toEqual(known);
  });

  it('SEC-58 what strangers asked for is legible to nobody and goes once it was looked at; the one who is known gets a mail, and has a record', async () => {
    const looked = () => until(async () => (await requests()).length === 0, 'all were looked at');
    // Records and mails of the test before may come late.
    const earlier = (await service.database('accounts').pluck('id')).filter((id: string) => id !== idOf(1));
    const records = async () =>
      (
        await openAuditEvents(service.database).search({ events: ['account.password-reset-requested'], limit: 99 })
      ).filter(({ account }) => !earlier.includes(account));
    const mails = async () =>
      (await service.database('mail_queue').where({ kind: 'password-reset' }).pluck('account_id')).filter(
        (account: string) => !earlier.includes(account),
      );
    await askedLongAgo(service);
    await looked();
    const [other] = await openAccounts(service.database).create([{ email: 'other@clinic.example', name: 'Other' }]);
    const login = credentialsOf(1).login.toUpperCase();
    const person = createPerson(service.issuer);
    const page = await person.visit('/account-link/password-reset');
    for (const one of ['disabled@clinic.example', 'nobody-else@clinic.example', 'other@clinic.example', login, login])
      await person.press(page, 'send-link', { login: one });
    const row = (await requests()).at(-1);
    expect(JSON.stringify(await requests()).toLowerCase()).not.toContain('clinic.example');
    expect(Number(row?.due_at)).toBeGreaterThan(Number(row?.created_at) + 1);
    await askedLongAgo(service);
    await mailsGone(service, idOf(1));
    expect((await mailInOutbox(service, credentialsOf(1).login)).html).toContain('/account-link/password-reset/');
    await looked();
    const known = [idOf(1), other?.id ?? ''].sort();
    await until(async () => (await records()).length === 2 && (await mails()).length === 2, 'both are recorded');
    const added = await records();
    expect(added.map(({ account }) => account).sort()).toEqual(known);
    expect(added[0]).toMatchObject({ actor: 'unknown', address: '127.0.0.1' });
    expect((await mails()).sort()).toEqual(known);
  });

  it('SEC-74 a wrong password is the same work for every login, and one record', async () => {
    const answers: Awaited<ReturnType<typeof answerTo>>[] = [];
    for (const login of LOGINS) {
      const person = createPerson(service.issuer);
      const page = await person.visit(authorizationUrl(service));
      answers.push(await answerTo(login, () => person.press(page, 'sign-in', { login, password: 'a wrong password' })));
    }
    const [known, ...others] = answers;
    expect(known?.status).toBe(422);
    expect(known?.work.join()).toMatch(/accounts.*audit_events/s);
    for (const { status, names, work } of others)
      expect({ status, names, work }).toEqual({
        status: known?.status,
        names: known?.names,
        work: known?.work,
      });
  });

  it('SEC-74 another e-mail address is asked for with the same work, whether somebody has it or nobody', async () => {
    const { person } = await enteredBy(service.issuer, 2);
    const answers: Awaited<ReturnType<typeof answerTo>>[] = [];
    for (const email of [KNOWN, 'nobody-at-all@clinic.example']) {
      const page = await openAccount(person, 2, '/account/email');
      answers.push(await answerTo(email, () => person.press(page, 'change-email', { action: 'change', email })));
    }
    expect(answers[1]).toMatchObject({ status: answers[0]?.status, work: answers[0]?.work });
  });
});
