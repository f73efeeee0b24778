// Pages of an account: what is known of a person, how they change it, and how they take it along or have it deleted.

import { beforeEach, describe, expect, it } from '@jest/globals';
import * as oidc from 'openid-client';
import { openAccountDeletion } from '#store/accounts/delete-account.ts';
import { credentialsOf, enteredBy, idOf, openAccount } from '#support/openid/account/person-of-account.ts';
import { signIn } from '#support/openid/relying-party.ts';
import { resetService } from '#support/openid/reset-service.ts';
import { service, withService } from '#support/openid/with-service.ts';
import type { Person } from '#support/person.ts';

describe('pages of a profile', () => {
  withService();
  const account = () => service.database('accounts').where({ id: idOf(0) });

  // What a person does with their profile: names, nickname and language; and the picture with their initials. Applications are asked what
  // they are told, from outside.
  describe('the profile', () => {
    let person: Person;
    beforeEach(async () => {
      await resetService(service);
      ({ person } = await enteredBy(service.issuer, 0));
    });

    const open = (page: string) => openAccount(person, 0, `/account${page}`);
    const row = () => account().first();
    const lastEvent = async () =>
      (await service.database('audit_events').orderBy('id', 'desc').first()) as Record<string, string>;

    /** What the application `trusted` is told at userinfo. */
    async function userinfo() {
      const { configuration, tokens } = await signIn(service, {
        person,
        clientId: 'trusted',
        scope: 'openid email profile',
      });
      return oidc.fetchUserInfo(configuration, tokens.access_token, idOf(0));
    }

    describe('names, nickname and language', () => {
      const save = async (fields: Record<string, string>) =>
        person.press(await open('/profile'), 'save-profile', fields);

      it('reach applications by the claims of the scope profile, updated_at with them', async () => {
        await account().update({ updated_at: 1 });
        const saved = await save({ family: '  Exemple-Martin ', nickname: '<b>Zo</b>', language: 'fr' });
        expect([saved.status, saved.html.includes('Vos informations sont enregistrées')]).toEqual([200, true]);
        expect(saved.html).toContain('&lt;b&gt;Zo&lt;/b&gt;');
        expect(saved.html).not.toContain('<b>Zo');
        expect((await lastEvent())['details']).toBe('{"fields":["family","name","nickname","language"]}');
        const told = await userinfo();
        expect(told).toMatchObject({
          name: 'Mathilde Exemple-Martin',
          given_name: 'Mathilde',
          family_name: 'Exemple-Martin',
          nickname: '<b>Zo</b>',
          locale: 'fr',
        });
        expect(Date.parse(String(told.updated_at))).toBeGreaterThan(Date.parse('2020-01-01'));
        // A name of its own is kept; what is emptied is told no more.
        await save({ name: 'Dr Mathilde Martin', nickname: '', language: '' });
        await save({ family: 'Martin' });
        const later = await userinfo();
        expect(later).toMatchObject({
          name: 'Dr Mathilde Martin',
          family_name: 'Martin',
          nickname: 'Dr Mathilde Martin',
        });
        expect(later).not.toHaveProperty('locale');
      });

      it('the language chosen is that of the pages after the sign-in, whatever the browser says', async () => {
        await save({ language: 'en' });
        person.cookies.delete('hygie_language /');
        const page = await person.visit('/account', { headers: { 'accept-language': 'fr' } });
        expect(page.html).toContain('<html lang="en"');
      });

      it.each([
        ['name', '', 'Enter your name.'],
        ['name', '\u202eelyc', 'invisible'],
        ['given', 'a\u200bb', 'invisible'],
        ['family', 'a\u0007', 'invisible'],
        ['nickname', 'x'.repeat(201), 'too long'],
        ['nickname', '---', 'no letter'],
      ])('SEC-44 %s %j is refused beside its field, and nothing is stored', async (field, value, reason) => {
        const before = await row();
        const page = await save({ [field]: value });
        expect([page.status, page.html.includes(reason)]).toEqual([422, true]);
        expect(page.html).toMatch(
          new RegExp(`id="${field}"[^>]*aria-describedby="${field}-problem[^>]*aria-invalid="true"`),
        );
        expect(await row()).toEqual(before);
      });
    });

    /** What the file of a picture says: its letters, and its ground. */
    async function pictureAt(address: unknown, headers: Record<string, string> = {}) {
      const response = await fetch(String(address), { headers, redirect: 'manual' });
      const svg = await response.text();
      return { response, svg, letters: />([^<>]*)<\/text>/.exec(svg)?.[1], ground: /fill="(#\w{6})"/.exec(svg)?.[1] };
    }
    const renamed = (name: string) => account().update({ name });

    describe('the picture', () => {
      it('has the initials: its address stays, what it shows follows the name, and userinfo says what the ID token does', async () => {
        await renamed('Dr Mathilde de la Tour');
        const { configuration, tokens } = await signIn(service, {
          person,
          clientId: 'trusted',
          scope: 'openid profile',
        });
        const address = tokens.claims()?.['picture'];
        expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/picture\/[0-9a-f]{32}\.svg$/);
        expect(await oidc.fetchUserInfo(configuration, tokens.access_token, idOf(0))).toMatchObject({
          picture: address,
        });
        const first = await pictureAt(address);
        expect(first.letters).toBe('MT');
        const etag = first.response.headers.get('etag') ?? '';
        // As browsers ask; fetch itself would say no-cache.
        const again = await pictureAt(address, { 'if-none-match': etag, 'cache-control': 'max-age=0' });
        expect([again.response.status, again.svg]).toEqual([304, '']);
        await renamed('Mathilde Martin');
        const changed = await pictureAt((await userinfo()).picture, {
          'if-none-match': etag,
          'cache-control': 'max-age=0',
        });
        expect([changed.response.url, changed.response.status, changed.letters]).toEqual([address, 200, 'MM']);
        expect(changed.ground).toBe(first.ground);
      });

      it('SEC-44 is an image that runs and loads nothing, for any page, and is kept by caches for an hour', async () => {
        const { headers } = (await pictureAt((await userinfo()).picture)).response;
        expect(Object.fromEntries(headers)).toMatchObject({
          'content-type': 'image/svg+xml; charset=utf-8',
          'x-content-type-options': 'nosniff',
          'cache-control': 'public, max-age=3600',
          'content-security-policy': "default-src 'none'; sandbox",
          'cross-origin-resource-policy': 'cross-origin',
        });
        expect(headers.has('set-cookie')).toBe(false);
      });

      it('has an address that is not made of the account: what is made up is no picture, nor is what was uploaded once', async () => {
        const address = String((await userinfo()).picture);
        const file = new URL(address).pathname.split('/').at(-1) ?? '';
        const other = `${file.startsWith('0') ? '1' : '0'}${file.slice(1)}`;
        const uuid = idOf(0).replaceAll('-', '');
        for (const wrong of [
          other,
          `${uuid}.svg`,
          idOf(0),
          file.toUpperCase(),
          file.replace('.svg', '.jpg'),
          `0${file}`,
          '',
        ]) {
          expect([wrong, (await pictureAt(`${service.issuer}/picture/${wrong}`)).response.status]).toEqual([
            wrong,
            404,
          ]);
        }
        expect((await pictureAt(`${service.issuer}/picture/${'A'.repeat(43)}.jpg`)).response.status).toBe(404);
        // Of everybody who had none, when pictures were uploaded.
        const nobody = await pictureAt(`${service.issuer}/picture/person.svg`);
        expect([nobody.response.status, nobody.letters]).toEqual([200, undefined]);
      });

      it('is what an operator says instead, for applications, on the page and in the export', async () => {
        const given = 'https://clinic.example/mathilde.jpg';
        const change = (picture: string | null) => account().update({ picture });
        const initials = String((await userinfo()).picture);
        const exported = async () =>
          JSON.parse((await person.press(await open('/data'), 'download-data')).html).account.picture;
        expect((await open('')).html).toContain(`src="${new URL(initials).pathname}"`);
        expect(await exported()).toBe(initials);
        await change(given);
        expect((await userinfo()).picture).toBe(given);
        expect((await open('')).html).toContain(`<a href="${given}" rel="noreferrer">clinic.example</a>`);
        expect(await exported()).toBe(given);
        await change(null);
      });
    });
  });

  // What a person takes along, and how they leave: their data in one file, and the deletion of the account.
  describe('data and deletion', () => {
    let person: Person;
    beforeEach(async () => {
      await resetService(service);
      ({ person } = await enteredBy(service.issuer, 0));
    });

    it('a person’s own data are one file for a fresh sign-in: everything, without a secret; recorded', async () => {
      const page = await openAccount(person, 0, '/account/data');
      const file = await person.press(page, 'download-data');
      expect(file.headers.get('content-disposition')).toBe('attachment; filename=account.json');
      expect(file.headers.get('cache-control')).toBe('no-store');
      const data = JSON.parse(file.html);
      expect(data).toMatchObject({
        account: { id: idOf(0), email: credentialsOf(0).login, hasPassword: true },
        secondFactor: null,
        activity: { complete: true },
      });
      expect(data.sessions.length).toBeGreaterThan(0);
      expect(data.activity.records.map(({ event }: { event: string }) => event)).toContain('sign-in.succeeded');
      const { password_hash: hash } = await account().first();
      const sessions = await service.database('oidc_records').whereRaw("model = 'Session'").select('id', 'uid');
      for (const secret of [hash, ...sessions.flatMap(({ id, uid }) => [id, uid])])
        expect(file.html).not.toContain(secret);
      const last = await service.database('audit_events').orderBy('id', 'desc').first();
      expect(last.event).toBe('account.data-exported');
    });

    it('the deletion of an account is asked for, shown, taken back, and ends everything once an operator has done it', async () => {
      const { person: leaver } = await enteredBy(service.issuer, 4);
      const events = async () =>
        (
          await service
            .database('audit_events')
            .where({ account_id: idOf(4) })
            .orderBy('id')
            .pluck('event')
        ).filter((event: string) => event.startsWith('account.'));
      const asked = await leaver.press(await openAccount(leaver, 4, '/account/deletion'), 'request-deletion');
      expect(asked.html).toContain('id="withdraw-deletion"');
      const back = await leaver.press(asked, 'withdraw-deletion');
      expect(back.html).not.toContain('id="withdraw-deletion"');
      await leaver.press(await openAccount(leaver, 4, '/account/deletion'), 'request-deletion');
      expect(await events()).toEqual([
        ...['account.deletion-requested', 'account.deletion-withdrawn', 'account.deletion-requested'],
      ]);

      const { configuration, tokens } = await signIn(service, {
        person: leaver,
        clientId: 'trusted',
        scope: 'openid',
      });
      expect(await openAccountDeletion(service.database).remove(idOf(4))).toBe(true);
      await expect(oidc.fetchUserInfo(configuration, tokens.access_token, idOf(4))).rejects.toThrow();
      expect((await leaver.visit('/account')).html).toContain('id="sign-in"');
      const again = await leaver.press(await leaver.visit('/account'), 'sign-in', credentialsOf(4));
      expect([again.html.includes('id="sign-in"'), again.status < 500]).toEqual([true, true]);
    });
  });
});
