// Every page of the account space in every state of an account, by its sentences: what is linked, which factors there are, what the person
// has asked for, what was wrong with a form, what was just done.

import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { addCorrections, endCorrections } from '#store/snapshots/corrections.ts';
import { withOwnSnapshots } from '#support/jest/own-snapshots.ts';
import { addApp, addPasskey, resetAccount } from '#support/openid/account/factors.ts';
import { credentialsOf, enteredBy, idOf, openAccount } from '#support/openid/account/person-of-account.ts';
import { service, withService } from '#support/openid/with-service.ts';
import { differences, pageInStates, unstyled } from '#support/page-states.ts';
import { transcript } from '#support/page-transcript.ts';
import type { Person, Visit } from '#support/person.ts';
import { DEMO_ACCOUNTS } from '#support/service.ts';
import { until } from '#support/until.ts';

describe('pages of an account by its state', () => {
  withOwnSnapshots(import.meta.filename);
  const ME = idOf(0);
  const [{ practitioners: [RECORD = ''] = [], workspaces: [WORK = '', OTHER_WORK = ''] = [] } = {}] = DEMO_ACCOUNTS;
  const PAGES = [
    ...['', '/profile', '/workspace', '/email', '/data', '/deletion', '/security', '/password', '/passkeys'],
    ...['/second-factor', '/second-factor/recovery-codes', '/second-factor/recovery-codes/saved'],
    ...['/second-factor/remove', '/applications'],
  ];

  let person: Person;
  let fresh: Record<string, unknown>;
  withService();
  beforeAll(async () => {
    ({ person } = await enteredBy(service.issuer, 0));
    fresh = await service.database('accounts').where({ id: ME }).first();
  });

  /** The account as it was, with these columns. */
  const state = (columns: Record<string, unknown>) => resetAccount(service, { ...fresh, ...columns });
  beforeEach(() => state({}));

  const page = async (path: string) => {
    const { status, url, html } = await openAccount(person, 0, `/account${path}`);
    expect(unstyled(html)).toEqual([]);
    const led = new URL(url).pathname === `/account${path}` ? '' : ` -> ${new URL(url).pathname}`;
    return `${status} /account${path}${led}\n${led ? '' : transcript(html, { ids: true })}`;
  };

  /** Compares pages of the account, each in all these states. */
  const expectPages = async (paths: readonly string[], states: readonly [string, object | (() => Promise<void>)][]) => {
    const pages = new Map(paths.map((path) => [path, [] as [string, string][]]));
    for (const [name, columns] of states) {
      await state(typeof columns === 'function' ? {} : { ...columns });
      if (typeof columns === 'function') await columns();
      for (const [path, shown] of pages) shown.push([name, await page(path)]);
    }
    for (const [path, shown] of pages) expect(pageInStates(shown)).toMatchSnapshot(path);
  };

  it('what the account is linked to', async () => {
    const links = (practitioners: string[], workspaces: string[], reference?: string, change?: string) => ({
      practitioners: JSON.stringify(practitioners),
      workspaces: JSON.stringify(workspaces),
      current_workspace: workspaces[0] ?? null,
      ...(reference && {
        link_changes: JSON.stringify({ [reference]: { change, since: '20200101T000000Z-0', holdsIn: [] } }),
      }),
    });
    await expectPages(
      ['', '/workspace'],
      [
        ['a person and a place of work', links([RECORD], [WORK])],
        ['nothing', links([], [])],
        ['a person', links([RECORD], [])],
        ['a place of work', links([], [WORK])],
        ['two persons and two places', links([RECORD, '000000000000'], [WORK, OTHER_WORK])],
        ['a person that has left', links([RECORD], [WORK], `Practitioner/${RECORD}`, 'left')],
        ['a person with another name', links([RECORD], [WORK], `Practitioner/${RECORD}`, 'other')],
        ['two places, one gone', links([], [WORK, OTHER_WORK], `Organization/${WORK}`, 'left')],
        ['a person never there', links([RECORD], [], `Practitioner/${RECORD}`, 'missing')],
      ],
    );
  });

  it('SEC-81 a record that the operator hides is said to be hidden', async () => {
    await state({ practitioners: JSON.stringify([RECORD]), workspaces: '[]', current_workspace: null });
    const told = (hidden: boolean) =>
      until(async () => (await page('')).includes('hidden by the operator') === hidden, `hidden: ${hidden}`);
    await told(false);
    const about = { record: `Practitioner/${RECORD}`, what: 'record', reason: 'asked for', madeBy: 'tests' } as const;
    const [made] = await addCorrections(service.database, [about]);
    await told(true);
    await endCorrections(service.database, [made?.id ?? 0], 'tests');
    await told(false);
  });

  it('what is known of the person', async () => {
    const elsewhere = 'https://pictures.example/me.png';
    await expectPages(
      ['', '/profile', '/email', '/data', '/deletion', '/applications'],
      [
        ['an unverified address', { email_verified: false }],
        ['little', { given: null, family: null, nickname: null, practitioners: '[]' }],
        ['names by the directory alone', { given: null, family: null, nickname: null }],
        ['a verified address, a language, a picture', { email_verified: true, language: 'en', picture: elsewhere }],
        ['a deletion that was asked for', { deletion_requested_at: 1_700_000_000 }],
      ],
    );
  });

  it('factors', async () => {
    const ownSession = async (): Promise<string> => {
      const rows = await service.database('oidc_records').where({ model: 'Session', account_id: ME });
      return String(rows.at(-1)?.uid);
    };
    const withApp = async () => void (await addApp(service, ME, await ownSession()));
    const withPasskey = async () => addPasskey(service, ME, await ownSession());
    await expectPages(
      PAGES.filter((path) => /security|password|passkeys|second-factor/.test(path)),
      [
        ['a password alone', {}],
        ['a password and an app', withApp],
        ['a password and a passkey', withPasskey],
        ['a password, an app and a passkey', () => withApp().then(withPasskey)],
        [
          'a passkey alone',
          async () => {
            await withPasskey();
            await service.database('accounts').where({ id: ME }).update({ password_hash: null });
          },
        ],
        [
          'an app without recovery codes',
          async () => {
            await withApp();
            await service.database('recovery_codes').where({ account_id: ME }).delete();
          },
        ],
      ],
    );
  });

  it('the page of sessions offers to end the others from the first other one on', async () => {
    const { person } = await enteredBy(service.issuer, 1);
    const offersToEnd = async () => (await openAccount(person, 1, '/account/sessions')).html.includes('id="end-all"');
    expect(await offersToEnd()).toBe(false);
    await enteredBy(service.issuer, 1);
    expect(await offersToEnd()).toBe(true);
  });

  describe('forms that are not taken', () => {
    /** What the answer to a form says that its page did not. */
    const answered = (form: string, { status, url, html }: Visit) =>
      [`${status} ${new URL(url).pathname}`, ...differences(form, transcript(html))].join('\n');

    it.each(PAGES.filter((path) => !['', '/security'].includes(path)))(
      'a form of another browser is refused at /account%s, and nothing is changed',
      async (path) => {
        const form = transcript((await openAccount(person, 0, `/account${path}`)).html);
        const before = await service.database('accounts').where({ id: ME }).first();
        const answer = await person.visit(`/account${path}`, {
          method: 'POST',
          body: new URLSearchParams({ csrf: 'of-another-browser', action: 'change', client: 'server', remove: 'x' }),
          headers: { origin: service.issuer },
        });
        expect(answered(form, answer)).toMatchSnapshot();
        expect(await service.database('accounts').where({ id: ME }).first()).toEqual(before);
      },
    );

    const CHOSEN = { 'new-password': 'four unrelated words here', 'new-password-again': 'four unrelated words here' };
    it.each<[path: string, button: string, fields: Record<string, string>]>([
      ['/profile', 'save-profile', { name: '' }],
      ['/workspace', 'save-workspace', { workspace: 'F000000000' }],
      ['/email', 'change-email', { email: '' }],
      ['/email', 'change-email', { email: 'no address' }],
      ['/email', 'change-email', { email: credentialsOf(0).login }],
      ['/password', 'save-password', {}],
      ['/password', 'save-password', { password: 'wrong', ...CHOSEN }],
      ['/second-factor', 'set-up', {}],
      ['/second-factor', 'set-up', { code: '000000' }],
    ])('/account%s, %s with %j', async (path, button, fields) => {
      const form = await openAccount(person, 0, `/account${path}`);
      expect(answered(transcript(form.html), await person.press(form, button, fields))).toMatchSnapshot();
    });
  });

  it.each([
    ['/profile', 'save-profile', { name: 'Zoé Martin' }],
    ['/workspace', 'save-workspace', { workspace: OTHER_WORK }],
    ['/email', 'change-email', { email: 'another@clinic.example' }],
  ])('forms that are taken /account%s, %s: the next page says what was done, once', async (path, button, fields) => {
    const form = await openAccount(person, 0, `/account${path}`);
    const answer = await person.press(form, button, fields);
    const [, notice = ''] = /<div class="notice done"[^>]*>(.*?)<\/div>/s.exec(answer.html) ?? [];
    expect(`${answer.status} ${new URL(answer.url).pathname}\n${transcript(notice)}`).toMatchSnapshot();
    expect((await openAccount(person, 0, '/account/profile')).html).not.toContain('class="notice done"');
  });
});
