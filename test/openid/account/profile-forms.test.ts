// Forms of a profile: what is stored of names and language, the choice of a place of work, and the deletion of an account.

import { describe, expect, it } from '@jest/globals';
import { saveProfile, sendEditPage } from '#openid/account/profile/edit-profile.ts';
import { requestDeletion, sendWithdrawalPage, withdrawDeletion } from '#openid/account/profile/own-data.ts';
import { saveWorkspace } from '#openid/account/profile/workspace.ts';
import { recordOf, withStores } from '#support/openid/account/stores.ts';
import type { shownPage } from '#support/openid/shown-page.ts';

describe('forms of a profile', () => {
  const { kept, told, ...pages } = withStores({
    edition: () => ({ id: 'edition', hidden: new Set() }),
    labelInDirectory: async (_type: string, id: string) => ({ name: `Place ${id}` }),
  });
  const PLACES = { practitioners: [], workspaces: ['F1', 'F2'], currentWorkspace: 'F2', linkChanges: {} };
  const ask = (
    handle: Parameters<typeof shownPage>[0],
    stores: object,
    form?: Record<string, string>,
    account: object = {},
  ) => pages.ask(handle, stores, { ...(form && { form }), account: { ...PLACES, ...account }, url: '/account/x' });
  const toProfile = { status: 303, location: '/account' };

  describe('names and language', () => {
    const EDITABLE = ['name', 'nickname'];
    const save = (
      form: Record<string, string>,
      { editable = EDITABLE, account = {} }: { editable?: string[]; account?: object } = {},
    ) =>
      ask(
        saveProfile,
        { settings: { profile: { editable } }, accounts: { update: told('update', undefined) } },
        form,
        account,
      );
    const asTheyAre = { given: 'Zoé', family: 'Martin', name: 'Zoé Martin', nickname: '', language: '' };

    it.each<[string, Record<string, string>, object, object]>([
      ['a nickname', { nickname: ' Zo  ' }, {}, { nickname: 'Zo' }],
      ['no nickname any more', { nickname: '' }, { nickname: 'Zo' }, { nickname: null }],
      ['a full name of its own', { name: 'Dr Martin' }, {}, { name: 'Dr Martin' }],
      [
        'a family name, which the full name follows',
        { family: 'Durand' },
        {},
        { family: 'Durand', name: 'Zoé Durand' },
      ],
      [
        'a family name, with a full name of its own',
        { family: 'Durand', name: 'Dr Z' },
        { name: 'Dr Z' },
        { family: 'Durand' },
      ],
      ['no family name any more', { family: '' }, {}, { family: null }],
      ['a language', { language: 'en' }, {}, { language: 'en' }],
      ['a language that nobody speaks here', { language: 'de' }, { language: 'fr' }, { language: null }],
    ])('%s is stored, recorded and said', async (_, change, account, stored) => {
      const shown = await save({ ...asTheyAre, ...change }, { account });
      expect(shown).toMatchObject({ ...toProfile, notice: { kind: 'profile-saved' } });
      expect(kept.calls).toEqual([['update', 'me', stored]]);
      expect(kept.recorded).toEqual([recordOf('account.profile-changed', { fields: Object.keys(stored) })]);
      const cookie = shown.headers['set-cookie'];
      if ('language' in stored)
        expect(cookie).toMatch(stored.language === 'en' ? /language=en;/ : /language=;.*max-age=0/i);
      else expect(cookie).toBeUndefined();
    });

    it('as they are store nothing, and the person is told that they are stored', async () => {
      expect(await save(asTheyAre)).toMatchObject({ ...toProfile, notice: { kind: 'profile-saved' } });
      expect(kept).toEqual({ calls: [], recorded: [] });
    });

    it('that cannot be leave the focus to the first of them', async () => {
      const { status, html } = await save({ ...asTheyAre, name: '', nickname: '---' });
      const focused = [...html.matchAll(/<input [^>]*\bid="(\w+)"[^>]* autofocus/g)].map(([, id]) => id);
      expect([status, focused]).toEqual([422, ['name']]);
    });

    it.each([
      [
        ['name', 'nickname'],
        ['given', 'family', 'name', 'nickname'],
      ],
      [['nickname'], ['nickname']],
      [['name'], ['given', 'family', 'name']],
      [[], []],
    ])('where %j may be changed: the fields %j and the language', async (editable, fields) => {
      const { html } = await ask((context) => sendEditPage(context), { settings: { profile: { editable } } });
      const names = [...html.matchAll(/<input [^>]*name="(\w+)"/g)].map(([, name]) => name);
      expect(names.filter((name) => name !== 'csrf')).toEqual([...fields, 'language', 'language', 'language']);
      await save({ given: 'A', family: 'B', name: 'C', nickname: 'D', language: '' }, { editable });
      expect(Object.keys((kept.calls[0]?.[2] as object) ?? {}).sort()).toEqual([...fields].sort());
    });
  });

  describe('the place of work', () => {
    const save = (result: string, form: Record<string, string> = { workspace: 'F1' }) =>
      ask(saveWorkspace, { chooseWorkspace: told('choose', result) }, form);

    it('is chosen, which is recorded and said; the same one again is said only', async () => {
      expect(await save('chosen')).toMatchObject({ ...toProfile, notice: { kind: 'workspace-chosen' } });
      expect(kept.calls).toEqual([['choose', 'me', 'F1']]);
      expect(kept.recorded).toEqual([recordOf('account.workspace-chosen', { workspace: 'F1' })]);
      expect(await save('kept')).toMatchObject({ ...toProfile, notice: { kind: 'workspace-chosen' } });
      expect(kept.recorded).toHaveLength(1);
    });

    it('is asked for again where none is chosen', async () => {
      expect((await save('refused', {})).status).toBe(422);
      expect(kept).toEqual({ calls: [['choose', 'me', '']], recorded: [] });
    });
  });

  describe('the deletion of an account', () => {
    const press = (handle: Parameters<typeof shownPage>[0], noted: boolean, form: Record<string, string> = {}) =>
      ask(handle, { accountDeletion: { request: told('request', noted) } }, form);

    it('is asked for and taken back, each recorded and said, once', async () => {
      const asked = await press(requestDeletion, true);
      expect(asked).toMatchObject({ ...toProfile, notice: { kind: 'deletion-requested' } });
      const taken = await press(withdrawDeletion, true);
      expect(taken).toMatchObject({ ...toProfile, notice: { kind: 'deletion-withdrawn' } });
      for (const handle of [requestDeletion, withdrawDeletion])
        expect(await press(handle, false)).toMatchObject({ ...toProfile, notice: undefined });
      expect(kept.calls).toEqual([true, false, true, false].map((wanted) => ['request', 'me', wanted]));
      expect(kept.recorded).toEqual(
        ['account.deletion-requested', 'account.deletion-withdrawn'].map((event) => recordOf(event)),
      );
    });

    it('is not taken back by a form of elsewhere', async () => {
      expect(await press(withdrawDeletion, true, { csrf: 'x' })).toMatchObject({ ...toProfile, notice: undefined });
      expect(await ask(sendWithdrawalPage, {})).toMatchObject(toProfile);
      expect(kept).toEqual({ calls: [], recorded: [] });
    });
  });
});
