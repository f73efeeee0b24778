// The place of work in use (specification section 2.2, currentWorkspaceId): people choose it at a sign-in that asks for it, or in their
// account space; the next ID token and userinfo have it.

import { beforeEach, describe, expect, it } from '@jest/globals';
import * as oidc from 'openid-client';
import type { ClientSettings } from '#config/settings.ts';
import { openAccountLinks } from '#store/accounts/links/account-links.ts';
import { openAuditEvents } from '#store/audit/audit-events.ts';
import { openAccount } from '#support/openid/account/person-of-account.ts';
import { authorizationUrl, CREDENTIALS, discover, signIn } from '#support/openid/relying-party.ts';
import { resetService } from '#support/openid/reset-service.ts';
import { service, withService } from '#support/openid/with-service.ts';
import { createPerson, type Person, type Visit } from '#support/person.ts';
import { DEMO_ACCOUNTS, DEMO_PASSWORD, testClients } from '#support/service.ts';

const [{ id: ME = '', workspaces: [FIRST = '', SECOND = '', THIRD = ''] = [] } = {}] = DEMO_ACCOUNTS;
/** Linked to one place only. */
const SETTLED = { login: DEMO_ACCOUNTS[4]?.email ?? '', password: DEMO_PASSWORD };

describe('the place of work', () => {
  let person: Person;
  let clients: ClientSettings[];
  let chosenBefore: number;
  withService(async () => {
    clients = (await testClients()).map((client) =>
      client.id === 'trusted' ? { ...client, workspace: 'ask' as const } : client,
    );
    return { clients };
  });
  beforeEach(async () => {
    await resetService(service);
    service.replaceClients(clients);
    person = createPerson(service.issuer);
    chosenBefore = (await chosenEvents()).length;
  });

  const claim = () => `${service.settings.namespace}/userInfo`;
  const isAsked = ({ html }: Visit) => html.includes('name="workspace"');
  const ask = (parameters: Record<string, string> = {}, browser = person) =>
    browser.visit(
      authorizationUrl(service, { client_id: 'trusted', scope: 'openid profile', state: STATE, ...parameters }),
    );
  const STATE = 'a state of the test, thirty characters';
  /** What the application is told after the answer, in the ID token and at userinfo. */
  const told = async ({ left }: Visit) => {
    const configuration = await discover(service, 'trusted');
    const tokens = await oidc.authorizationCodeGrant(configuration, left as URL, { expectedState: STATE });
    const claims = tokens.claims() as Record<string, unknown>;
    const info = await oidc.fetchUserInfo(configuration, tokens.access_token, String(claims['sub']));
    expect(info[claim()]).toEqual(claims[claim()]);
    return (claims[claim()] as { currentWorkspaceId?: string }).currentWorkspaceId;
  };
  const chosenEvents = async () =>
    (await openAuditEvents(service.database).search({ limit: 99, events: ['account.workspace-chosen'] })).map(
      ({ actor, client, details }) => [actor, client, details?.['workspace']],
    );

  /** The person signs in at the application and chooses this place. */
  const choose = async (workspace: string) =>
    told(await person.press(await person.press(await ask(), 'sign-in', CREDENTIALS), 'continue', { workspace }));

  it('is asked for after the sign-in, the current one preselected; the next ID token and userinfo have it', async () => {
    const page = await person.press(await ask(), 'sign-in', CREDENTIALS);
    expect([isAsked(page), page.html.match(/type="radio"/g)?.length]).toEqual([true, 3]);
    expect(page.html).toMatch(new RegExp(`value="${FIRST}" required checked autofocus`));
    // As people know it: name, FINESS number, town.
    expect(page.html).toMatch(
      /<span class="record-name">[^<]{3,}<\/span> <span class="record-id">FINESS \d{9} · \d{5} [^<]+</,
    );
    expect(await told(await person.press(page, 'continue', { workspace: SECOND }))).toBe(`Organization/${SECOND}`);
    expect((await chosenEvents()).slice(chosenBefore)).toEqual([[`account:${ME}`, 'trusted', SECOND]]);
  });

  it('is asked for at each sign-in of the application; who goes on with the current one changes nothing', async () => {
    await choose(SECOND);
    const before = await service.database('accounts').where({ id: ME }).first();
    const page = await ask();
    expect(isAsked(page)).toBe(true);
    expect(await told(await person.press(page, 'continue'))).toBe(`Organization/${SECOND}`);
    expect(await service.database('accounts').where({ id: ME }).first()).toEqual(before);
    expect((await chosenEvents()).slice(chosenBefore)).toHaveLength(1);
  });

  it('is on one page with the account where the request says prompt=select_account', async () => {
    await choose(SECOND);
    const page = await ask({ prompt: 'select_account' });
    expect([isAsked(page), page.html.includes('id="other-account"')]).toEqual([true, true]);
    expect(await told(await person.press(page, 'continue', { workspace: THIRD }))).toBe(`Organization/${THIRD}`);
  });

  it('is never asked for silently, nor of who has one, nor by other applications', async () => {
    await choose(THIRD);
    expect(await told(await ask({ prompt: 'none' }))).toBe(`Organization/${THIRD}`);
    const settled = createPerson(service.issuer);
    const { left } = await settled.press(await ask({}, settled), 'sign-in', SETTLED);
    expect(left?.searchParams.get('code')).toEqual(expect.any(String));
    const { tokens } = await signIn(service, { person });
    expect(tokens.claims()?.[claim()]).toMatchObject({ currentWorkspaceId: `Organization/${THIRD}` });
  });

  it('is changed in the account space, and refreshed tokens have it', async () => {
    const always = (await testClients()).map((client) =>
      client.id === 'trusted'
        ? { ...client, scopes: [...client.scopes, 'offline_access' as const], refreshTokens: 'always' as const }
        : client,
    );
    service.replaceClients(always);
    const { tokens, configuration } = await signIn(service, {
      person,
      clientId: 'trusted',
      scope: 'openid profile offline_access',
    });
    const page = await openAccount(person, 0, '/account/workspace');
    const done = await person.press(page, 'save-workspace', { workspace: SECOND });
    expect([done.url, done.html.includes('id="done"')]).toEqual([`${service.issuer}/account`, true]);
    const refreshed = await oidc.refreshTokenGrant(configuration, tokens.refresh_token ?? '');
    for (const token of [tokens.access_token, refreshed.access_token]) {
      const info = await oidc.fetchUserInfo(configuration, token, ME);
      expect(info[claim()]).toMatchObject({ currentWorkspaceId: `Organization/${SECOND}` });
    }
    expect(refreshed.claims()?.[claim()]).toMatchObject({ currentWorkspaceId: `Organization/${SECOND}` });
  });

  it('SEC-32 is no place of others, none that was taken away, and nobody’s choice but their own', async () => {
    await choose(SECOND);
    const page = await ask({ prompt: 'select_account' });
    const stranger = DEMO_ACCOUNTS[1]?.workspaces?.[0] ?? '';
    for (const [workspace, status] of [
      [stranger, 422],
      ['', 422],
      ['x'.repeat(500), 422],
    ] as const) {
      const answer = await person.press(page, 'continue', { workspace });
      expect([workspace, answer.status, isAsked(answer)]).toEqual([workspace, status, true]);
    }
    expect((await person.press(page, 'continue', { workspace: SECOND, csrf: 'x' })).status).toBe(403);
    const space = await openAccount(person, 0, '/account/workspace');
    expect((await person.press(space, 'save-workspace', { workspace: stranger })).status).toBe(422);
    expect((await person.press(space, 'save-workspace', { workspace: SECOND, csrf: 'x' })).status).toBe(403);
    // An operator takes it away while the page is open.
    const take = (links: { practitioners: readonly string[]; workspaces: readonly string[] }) => ({
      ...links,
      workspaces: [FIRST, THIRD],
      currentWorkspace: FIRST,
      confirmed: [],
    });
    await openAccountLinks(service.database).relink(ME, take);
    expect((await person.press(page, 'continue', { workspace: SECOND })).status).toBe(422);
    expect((await person.press(space, 'save-workspace', { workspace: SECOND })).status).toBe(422);
    const row = await service.database('accounts').where({ id: ME }).first();
    expect(row.current_workspace).toBe(FIRST);
  });

  it('chosen while an operator takes it away is never one that the account is not linked to', async () => {
    const links = openAccountLinks(service.database);
    for (let round = 0; round < 5; round += 1) {
      await links.relink(ME, (before) => ({
        ...before,
        workspaces: [FIRST, SECOND, THIRD],
        currentWorkspace: FIRST,
        confirmed: [],
      }));
      const page = await openAccount(person, 0, '/account/workspace');
      await Promise.all([
        person.press(page, 'save-workspace', { workspace: SECOND }),
        links.relink(ME, ({ practitioners, currentWorkspace = FIRST }) => ({
          practitioners,
          workspaces: [FIRST, THIRD],
          currentWorkspace: currentWorkspace === SECOND ? FIRST : currentWorkspace,
          confirmed: [],
        })),
      ]);
      const row = await service.database('accounts').where({ id: ME }).first();
      expect(JSON.parse(row.workspaces)).toContain(row.current_workspace);
    }
  });
});
