// SEC-48: what each way through a sign-in leaves in the audit trail, whole, and what the application is told in the end.

import { beforeEach, describe, expect, it } from '@jest/globals';
import { SESSION_ENDINGS } from '#shared/audit/events.ts';
import { openAuditEvents } from '#store/audit/audit-events.ts';
import { withAccountAnew } from '#support/openid/account/account-anew.ts';
import { addApp } from '#support/openid/account/factors.ts';
import { credentialsOf, idOf } from '#support/openid/account/person-of-account.ts';
import { authorizationUrl, CREDENTIALS } from '#support/openid/relying-party.ts';
import { service, withService } from '#support/openid/with-service.ts';
import { createPerson, type Person } from '#support/person.ts';

describe('what a sign-in leaves in the audit trail', () => {
  const ME = idOf(0);
  let person: Person;
  let before: number;
  withService();
  withAccountAnew(ME, (one) => {
    person = one;
  });
  const all = () => openAuditEvents(service.database).search({ limit: 500 });
  beforeEach(async () => {
    before = (await all()).length;
    await service.database('rate_limits').delete();
  });

  /** The records of this test in their order, without times, and with marks of sign-ins by number. */
  const records = async () => {
    const marks: unknown[] = [];
    return (await all()).slice(before).map(({ event, actor, account, client, details = {} }) => {
      const { signIn, ...rest } = details;
      if (signIn !== undefined && !marks.includes(signIn)) marks.push(signIn);
      return [
        event,
        actor.replace(ME, 'me').replace(idOf(1), 'other'),
        account?.replace(ME, 'me').replace(idOf(1), 'other'),
        client,
        { ...rest, ...(signIn !== undefined && { signIn: marks.indexOf(signIn) + 1 }) },
      ];
    });
  };
  /** Neither news of a device, nor what is sent by itself. */
  const isOwn = ([event]: unknown[]) => event !== 'sign-in.new-device' && event !== 'mail.sent';
  const open = (parameters: Record<string, string> = {}) => person.visit(authorizationUrl(service, parameters));
  const enter = async (parameters: Record<string, string> = {}, credentials = CREDENTIALS) =>
    person.press(await open(parameters), 'sign-in', credentials);
  const told = (left: URL | undefined) => Object.fromEntries(left?.searchParams ?? []);
  const succeeded = (methods: string[], signIn = 1, who = 'me') => [
    'sign-in.succeeded',
    `account:${who}`,
    who,
    'server',
    { methods, signIn },
  ];
  const SCOPE = 'openid email profile PRACTITIONER_READ ORGANIZATION_READ';
  const given = ['consent.given', 'account:me', 'me', 'server', { scope: SCOPE }];
  const failed = (reason: string, account: string | undefined) => [
    'sign-in.failed',
    'unknown',
    account,
    'server',
    { reason, signIn: 1 },
  ];

  it('wrong passwords, the right one, and a consent', async () => {
    const page = await open();
    await person.press(page, 'sign-in', { ...CREDENTIALS, password: 'wrong' });
    await person.press(page, 'sign-in', { ...CREDENTIALS, login: 'nobody@clinic.example' });
    await person.press(await person.press(page, 'sign-in', CREDENTIALS), 'allow');
    expect((await records()).filter(isOwn)).toEqual([
      failed('password', 'me'),
      failed('no-account', undefined),
      succeeded(['password']),
      given,
    ]);
  });

  it('a browser that is known fails as such', async () => {
    await person.press(await enter(), 'allow');
    const page = await open({ prompt: 'login' });
    await person.press(page, 'sign-in', { ...CREDENTIALS, password: 'wrong' });
    expect((await records()).at(-1)).toEqual([
      'sign-in.failed',
      'unknown',
      'me',
      'server',
      { reason: 'password', known: true, signIn: 2 },
    ]);
  });

  it('a refusal of consent, and a sign-in that is cancelled', async () => {
    const { left } = await person.press(await enter(), 'refuse');
    expect(told(left)).toEqual({
      error: 'access_denied',
      error_description: 'the person refused',
      iss: service.issuer,
      state: expect.any(String),
    });
    expect((await records()).at(-1)).toEqual(['consent.refused', 'account:me', 'me', 'server', { scope: SCOPE }]);
    person = createPerson(service.issuer);
    const count = (await all()).length;
    const cancelled = await person.press(await open(), 'cancel');
    expect(told(cancelled.left)).toMatchObject({ error: 'access_denied', error_description: 'the person refused' });
    expect((await all()).length).toBe(count);
  });

  it('a session that gives way to another account, and to another person', async () => {
    const consent = await enter();
    await person.press(consent, 'other-account');
    const ended = (reason: string) => ['session.ended', 'account:me', 'me', 'server', { reason }];
    expect((await records()).at(-1)).toEqual(ended(SESSION_ENDINGS.otherAccount));
    await person.press(await enter(), 'allow');
    await enter({ prompt: 'login' }, credentialsOf(1));
    const last = (await records()).slice(-3).filter(isOwn);
    expect(last).toContainEqual(ended(SESSION_ENDINGS.otherPerson));
    expect(last).toContainEqual(succeeded(['password'], 3, 'other'));
  });

  it('codes of an app: wrong, right, and a recovery code in its place', async () => {
    const { code, recoveryCodes } = await addApp(service, ME);
    const step = await enter();
    await person.press(step, 'verify', { code: '000000' });
    await person.press(step, 'verify', { code: code() });
    const events = (await records()).filter(isOwn);
    expect(events).toEqual([failed('code', 'me'), succeeded(['password', 'second-factor'])]);
    person = createPerson(service.issuer);
    before = (await all()).length;
    await person.press(await enter(), 'verify-recovery', { recovery: recoveryCodes[0] ?? '' });
    expect((await records()).filter(isOwn)).toEqual([
      ['recovery-code.used', 'account:me', 'me', 'server', { signIn: 1 }],
      succeeded(['password', 'second-factor']),
    ]);
  });

  it('somebody else than the request names is refused, and the session stays as it was', async () => {
    await person.press(await enter(), 'allow');
    const claims = JSON.stringify({ id_token: { sub: { value: ME } } });
    const { left } = await enter({ prompt: 'login', claims }, credentialsOf(1));
    const error = { error: 'login_required', error_description: 'claims names another person than who signed in' };
    expect(told(left)).toMatchObject(error);
    expect((await records()).at(-1)).toEqual(['authorization.refused', 'account:other', 'other', 'server', error]);
    expect((await open({ prompt: 'none' })).left?.searchParams.has('code')).toBe(true);
  });
});
