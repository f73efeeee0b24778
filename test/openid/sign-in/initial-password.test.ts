// SEC-66: a password that an operator chose is replaced before anything is given to an application.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openAccounts } from '#store/accounts/accounts.ts';
import { type Installation, installation } from '#support/cli/hygie.ts';
import { inProcess } from '#support/cli/in-process.ts';
import { authorizationUrl, signIn } from '#support/openid/relying-party.ts';
import { createPerson, type Visit } from '#support/person.ts';
import { type RunningService, startService } from '#support/service.ts';
import { messagesIn } from '#web/messages.ts';

const INITIAL = 'lampadaire rouge 48 nuages';
const CHOSEN = 'tortue violette sous la pluie';
let service: RunningService;
let place: Installation;
beforeAll(async () => {
  service = await startService();
  place = installation({ HYGIE_DATA: service.settings.dataFolder });
});
afterAll(async () => {
  place.remove();
  await service.stop();
});

const add = async (login: string, ...flags: string[]) => {
  const given = ['--email', login, '--name', 'Paul Exemple', '--password-stdin', ...flags];
  expect((await inProcess(place)(['accounts', 'add', ...given], { input: INITIAL })).code).toBe(0);
};
const enter = async (login: string, password = INITIAL) => {
  const person = createPerson(service.issuer);
  const page = await person.press(await person.visit(authorizationUrl(service)), 'sign-in', { login, password });
  return { person, page };
};
const asks = ({ html, left }: Visit) => left === undefined && html.includes('id="save-password"');
const twice = (password: string) => ({ 'new-password': password, 'new-password-again': password });

describe("SEC-66 an operator's initial password", () => {
  it('is changed at the first sign-in: nothing is given to the application before', async () => {
    await add('one@clinic.example');
    const { person, page } = await enter('one@clinic.example');
    expect(asks(page)).toBe(true);
    expect(page.html).toContain('autocomplete="new-password"');
    const silent = await person.visit(authorizationUrl(service, { prompt: 'none' }));
    expect(silent.left?.searchParams.get('error')).toBe('login_required');
    // The page again, and no way round it.
    expect(asks(await person.visit(page.url))).toBe(true);
    const forms = ['code', 'second-factor', 'continue', 'consent'].map(
      (form) => `${new URL(page.url).pathname.replace(/\/login$/, '')}/${form}`,
    );
    const csrf = /name="csrf" value="([^"]+)"/.exec(page.html)?.[1] ?? '';
    for (const form of forms) {
      const body = new URLSearchParams({ csrf, code: '123456', answer: 'allow' });
      const after = await person.visit(form, { method: 'POST', body, headers: { origin: service.issuer } });
      expect(after.left).toBeUndefined();
      expect(await service.database('oidc_records').where({ model: 'AuthorizationCode' })).toEqual([]);
    }

    for (const [password, problem] of [
      [INITIAL, 'same'],
      ['manchesterunited', 'common'],
      ['paul exemple', 'personal'],
      ['short', 'too-short'],
    ] as const) {
      const refused = await person.press(await person.visit(page.url), 'save-password', twice(password));
      expect([refused.status, refused.html.includes(messagesIn('fr').newPassword.problem[problem].title)]).toEqual([
        422,
        true,
      ]);
    }
    const went = await person.press(await person.visit(page.url), 'save-password', twice(CHOSEN));
    expect(went.html).toContain('id="allow"');
    expect((await person.press(went, 'allow')).left?.searchParams.get('code')).toBeTruthy();
    // Once: and in the same second, as the case may be.
    const credentials = { login: 'one@clinic.example', password: CHOSEN };
    await signIn(service, { person: createPerson(service.issuer), credentials });
  });

  it('of set-password is changed as well, and the form of another browser is refused (SEC-32)', async () => {
    await add('two@clinic.example', '--keep-password');
    const other = 'nuages sur la colline 91';
    expect((await inProcess(place)(['accounts', 'set-password', 'two@clinic.example'], { input: other })).code).toBe(0);
    const { person, page } = await enter('two@clinic.example', other);
    expect(asks(page)).toBe(true);
    expect((await person.press(page, 'save-password', { ...twice(CHOSEN), csrf: 'x' })).status).toBe(403);
    const found = await openAccounts(service.database).findByEmail('two@clinic.example');
    expect(found?.account.passwordChangeRequired).toBe(true);
  });

  it('stays with --keep-password', async () => {
    await add('three@clinic.example', '--keep-password');
    expect((await enter('three@clinic.example')).page.html).toContain('id="allow"');
    const refused = await inProcess(place)([
      'accounts',
      'add',
      '--email',
      'x@y.example',
      '--name',
      'X',
      '--keep-password',
    ]);
    expect(refused.code).toBe(2);
  });

  it('that is set anew in the middle of it ends the sign-in', async () => {
    await add('four@clinic.example');
    const { person, page } = await enter('four@clinic.example');
    expect(
      (await inProcess(place)(['accounts', 'set-password', 'four@clinic.example'], { input: 'autre phrase 77 lunes' }))
        .code,
    ).toBe(0);
    const after = await person.press(page, 'save-password', twice(CHOSEN));
    expect(after.html).toContain('id="sign-in"');
  });
});
