// The forms that the sign-in and the account pages share, in each of their states: which field has the focus, which problem stands beside it, what
// a password manager is told. Their answers: what is read out of a posted form, and what is refused (SEC-43, SEC-44).

import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Request, Response } from 'express';
import { withOwnSnapshots } from '#support/jest/own-snapshots.ts';
import { pageInStates } from '#support/page-states.ts';
import { csrfField, derivedTokens } from '#web/forms/csrf.ts';
import { formStatus, readForm, refuseControlCharacters } from '#web/forms/form.ts';
import { type NewPasswordProblem, newPasswordForm, problemOf, readNewPassword } from '#web/forms/new-password.ts';
import {
  firstPasskeyCaution,
  passkeyCreationForm,
  passkeyRequestForm,
  readPasskey,
  withoutPasskey,
} from '#web/forms/passkey-form.ts';
import { readSaved, recoveryCodeList, savedForm } from '#web/forms/recovery-codes.ts';
import { type CodeProblem, codeForms, lostFactorHelp, readCode, setUpForm } from '#web/forms/second-factor.ts';
import { labelledWorkspaces, recordLabel, workspaceList } from '#web/forms/workspace-list.ts';
import { html } from '#web/html.ts';
import { deviceName, scopeLabel } from '#web/messages.ts';
import { createSite } from '#web/site.ts';

describe('forms of pages', () => {
  withOwnSnapshots(import.meta.filename);
  const issuer = 'https://connect.clinic.example/base';
  const branding = { name: 'Hygie', colour: '#0b5f6b', supportUrl: 'https://aide.example/' };
  const site = createSite({ issuer, branding, mode: 'development' });
  const silent = createSite({ issuer, branding: { name: 'Hygie', colour: '#0b5f6b' } });
  const frame = { site, language: 'en', languageLink: undefined } as const;
  const tokens = derivedTokens(['key', 'older key'])('browser');
  const form = { ...frame, action: '/base/form', token: tokens[0] };
  const button = { id: 'go', label: 'Go on' };
  /** Without the token, which is masked anew each time, and the drawing of the QR code. */
  const plain = (written: { toString(): string } | undefined) =>
    String(written)
      .replace(/(name="csrf" value=")[\w-]+/g, '$1(token)')
      .replace(/(class="qr-dark" d=")[^"]+/g, '$1(modules)');

  beforeEach(() => {
    jest.useFakeTimers({ now: Date.parse('2026-11-28T12:00:00Z'), doNotFake: ['nextTick', 'setImmediate'] });
  });

  const posted = (body: unknown) => ({ req: { body } as Request, tokens });
  /** As a form of this browser carries it, by the key before. */
  const [, token = ''] = /value="([^"]+)"/.exec(String(csrfField(tokens[1] ?? ''))) ?? [];

  describe('SEC-66 the form for a new password', () => {
    const problems: Record<string, NewPasswordProblem | undefined> = {
      new: undefined,
      'with nothing typed': { kind: 'missing', fields: ['password', 'new-password', 'new-password-again'] },
      'with one field missing': { kind: 'missing', fields: ['new-password-again'] },
      'too short, and typed in two ways': { kind: 'too-short', different: true },
      'typed in two ways': { kind: 'different' },
      'the old one': { kind: 'same' },
      'the present one is wrong': { kind: 'wrong' },
      stale: { kind: 'stale' },
      busy: { kind: 'busy' },
      'paused at the account': { kind: 'waiting', seconds: 600, of: 'account' },
      'paused for the network': { kind: 'waiting', seconds: 600, of: 'network' },
    };
    it('is written so, with each problem; it asks for the present one only where there is one', () => {
      const about = { ...form, login: 'a@clinic.example', name: 'Ann', buttons: html`<button>Save</button>` };
      const written = Object.entries(problems).map(
        ([name, problem]) => [name, plain(newPasswordForm({ ...about, withCurrent: true, problem }))] as const,
      );
      const first = newPasswordForm({ ...form, login: 'a', withCurrent: false, first: true, buttons: html`` });
      expect(pageInStates([...written, ['the first one', plain(first)]])).toMatchSnapshot();
    });

    it.each([
      [{ csrf: token, password: 'old', 'new-password': 'é', 'new-password-again': 'e\u0301' }, undefined, false],
      [{ csrf: token, password: 'old', 'new-password': 'one', 'new-password-again': 'two' }, undefined, true],
      [{ csrf: 'x', password: 'old', 'new-password': 'one', 'new-password-again': 'one' }, { kind: 'stale' }, false],
      [{ csrf: token, 'new-password': 'one', 'new-password-again': 'one' }, ['password'], false],
      [{ csrf: token, password: 'old', 'new-password-again': 'one' }, ['new-password'], true],
      [{ csrf: token, password: 'old', 'new-password': 'one' }, ['new-password-again'], true],
    ])('reads %j', (body, wrong, different) => {
      const problem = Array.isArray(wrong) ? { kind: 'missing', fields: wrong } : wrong;
      const read = readNewPassword(posted(body), { withCurrent: true });
      const { password: current = '', 'new-password': chosen = '' } = body as Record<string, string>;
      expect(read).toEqual({ current, chosen, different, ...(problem && { problem }) });
    });

    it('does not read the present one where it is not asked for', () => {
      const read = readNewPassword(posted({ csrf: token, password: 'x' }), { withCurrent: false });
      expect([read.current, read.problem]).toEqual([
        undefined,
        { kind: 'missing', fields: ['new-password', 'new-password-again'] },
      ]);
    });

    it('tells a broken rule before a difference, and both', () => {
      expect([problemOf('common', true), problemOf(undefined, true), problemOf(undefined, false)]).toEqual([
        { kind: 'common', different: true },
        { kind: 'different' },
        undefined,
      ]);
    });
  });

  describe('the forms of a second factor', () => {
    const problems: Record<string, CodeProblem | undefined> = {
      'no problem': undefined,
      'a missing code': { kind: 'missing' },
      'a wrong code': { kind: 'wrong' },
      'a used code': { kind: 'used' },
      'a stale form': { kind: 'stale' },
      'a pause': { kind: 'waiting', seconds: 90, of: 'account' },
    };
    type About = typeof form & { problem: CodeProblem | undefined; button: typeof button };
    const cancel = { href: '/base/back', label: 'Back' };
    const setUp = { address: 'otpauth://totp/a', key: 'ABCDEFGHIJ' };
    it.each<[string, (about: About) => { toString(): string }]>([
      ['a code or a passkey', (about) => codeForms({ ...about, ofAccount: false, recovery: false, passkey: {} })],
      [
        'a code at the account',
        (about) =>
          codeForms({ ...about, ofAccount: true, recovery: true, cancel, button: { ...button, danger: true } }),
      ],
      [
        'a recovery code',
        (about) =>
          codeForms({ ...about, ofAccount: false, recovery: true, app: false, button: { ...button, quiet: true } }),
      ],
      ['an app', (about) => setUpForm({ ...about, ofAccount: false, ...setUp })],
      ['an app at the account', (about) => setUpForm({ ...about, ofAccount: true, ...setUp, cancel })],
    ])('for %s are written so, with each problem', (_, write) => {
      const written = Object.entries(problems).map(
        ([name, problem]) => [name, plain(write({ ...form, problem, button }))] as const,
      );
      expect(pageInStates(written)).toMatchSnapshot();
    });

    it('name whom to ask only where somebody is named', () => {
      expect([lostFactorHelp({ ...frame, site: silent }), plain(lostFactorHelp(frame))]).toMatchSnapshot();
    });

    it.each([
      [{ code: ' 123 ' }, { typed: '123', recovery: false }],
      [
        { code: '123', recovery: 'ABCD' },
        { typed: 'ABCD', recovery: true },
      ],
      [{ recovery: '' }, { typed: '', recovery: true, problem: { kind: 'missing' } }],
      [
        { code: '', recovery: '' },
        { typed: '', recovery: false, problem: { kind: 'missing' } },
      ],
      [{}, { typed: '', recovery: false, problem: { kind: 'missing' } }],
    ])('read %j', (fields, expected) => {
      expect(readCode(posted({ csrf: token, ...fields }))).toEqual(expected);
      const { problem: _, ...same } = expected as { problem?: object };
      expect(readCode(posted(fields))).toEqual({ ...same, problem: { kind: 'stale' } });
    });

    it.each(['code', 'recovery'])('refuse control characters in %s, and name the field', (name) => {
      expect(() => readCode(posted({ csrf: token, [name]: 'a\u0007b' }))).toThrow(
        expect.objectContaining({ status: 400, message: `the field ${name} holds control characters` }),
      );
    });
  });

  describe('recovery codes', () => {
    it('are shown so, by what they were made for', () => {
      const list = { codes: ['AAAA-BBBB', 'CCCC-DDDD'], login: 'a@b' };
      const written = (['app', 'passkey', 'renewed'] as const).map(
        (madeFor) => [madeFor, plain(recoveryCodeList(frame, { ...list, madeFor }))] as const,
      );
      expect(pageInStates(written)).toMatchSnapshot();
    });

    it('are confirmed by a box, which the browser and the service both require', () => {
      const [asked, unsaved] = [savedForm(form), savedForm({ ...form, unsaved: true })].map(plain);
      expect(
        pageInStates([
          ['asked', asked ?? ''],
          ['unsaved', unsaved ?? ''],
        ]),
      ).toMatchSnapshot();
      const answers = [{ csrf: token, saved: 'yes' }, { csrf: token, saved: 'no' }, { csrf: token }, { saved: 'yes' }];
      expect(answers.map((body) => readSaved(posted(body)))).toEqual([true, false, false, false]);
    });
  });

  describe('the forms of a passkey', () => {
    it('carry the options of the request, and the caution before a first one', () => {
      const request = { challenge: 'c', relyingPartyId: 'connect.clinic.example' };
      const allow = [{ credentialId: 'id', transports: ['usb'] }];
      expect(
        [
          passkeyRequestForm({ ...form, button, request }),
          passkeyRequestForm({
            ...form,
            button: { ...button, quiet: true },
            request: { ...request, allow },
            autofill: true,
          }),
          passkeyCreationForm({ ...form, button, options: { timeout: 1 }, exists: 'There is one.' }),
          firstPasskeyCaution('en'),
          withoutPasskey('Another way'),
        ].map(plain),
      ).toMatchSnapshot();
    });

    it('give back the answer of the browser', () => {
      expect(readPasskey(posted({ csrf: token, passkey: '{}' }))).toEqual({ text: '{}', stale: false });
      expect(readPasskey(posted({}))).toEqual({ text: '', stale: true });
    });
  });

  describe('the list of workspaces', () => {
    const LABELS: Record<string, object> = { 1: { name: 'Été', town: '69001 LYON' }, 2: { name: 'étage' }, 3: {} };
    it('is in the order of names, with the focus on the current one, or on the first below a problem', async () => {
      const workspaces = await labelledWorkspaces(['1', '2', '3'], async (type, id) => {
        expect(type).toBe('Organization');
        return LABELS[id] ?? {};
      });
      expect(workspaces.map(({ id }) => id)).toEqual(['3', '2', '1']);
      const about = { language: 'en', workspaces } as const;
      expect(
        [
          workspaceList({ ...about, current: '2', problem: false }),
          workspaceList({ ...about, current: undefined, problem: false }),
          workspaceList({ ...about, current: '2', problem: true }),
          recordLabel('9', { name: 'N', work: 'W', number: 'FINESS 1', town: 'T' }),
        ].map(plain),
      ).toMatchSnapshot();
    });
  });

  describe('SEC-44 a posted form', () => {
    it.each([
      [undefined, 415, 'send the form as application/x-www-form-urlencoded'],
      [null, 415, 'send the form as application/x-www-form-urlencoded'],
      [{ csrf: ['a', 'b'] }, 400, 'send the field csrf once'],
      [{ csrf: token, name: ['a', 'b'] }, 400, 'send the field name once'],
    ])('%j is refused with %i', (body, status, message) => {
      expect(() => readForm(posted(body), ['name'])).toThrow(expect.objectContaining({ status, message }));
    });

    it('has the named fields that were sent, no others, and is stale without a token of this browser', () => {
      const read = readForm(posted({ csrf: token, name: '', other: 'x' }), ['name', 'absent']);
      expect(read).toEqual({ fields: { csrf: token, name: '' }, stale: false });
      expect(readForm(posted({ csrf: token.slice(4) })).stale).toBe(true);
    });

    it.each([
      [undefined, 200, undefined],
      [{ kind: 'stale' }, 403, undefined],
      [{ kind: 'gone' }, 404, undefined],
      [{ kind: 'waiting', seconds: 7 }, 429, '7'],
      [{ kind: 'busy' }, 503, '15'],
      [{ kind: 'wrong' }, 422, undefined],
    ])('with the problem %j has status %i, and Retry-After %s', (problem, status, wait) => {
      const headers = new Map<string, string>();
      const res = { set: (name: string, value: string) => headers.set(name, value) } as unknown as Response;
      expect([formStatus(res, problem), headers.get('retry-after')]).toEqual([status, wait]);
    });

    it('holds no control characters', () => {
      refuseControlCharacters('login', 'é 漢');
      expect(() => refuseControlCharacters('login', 'a\nb')).toThrow('the field login holds control characters');
    });
  });

  it('names of scopes and devices are words where they are known, and the name itself elsewhere', () => {
    expect([
      scopeLabel('email', 'en'),
      scopeLabel('offline_access', 'en', 86_400),
      scopeLabel('offline_access', 'en'),
      scopeLabel('toString', 'en'),
      deviceName('Firefox, Windows', 'en'),
      deviceName('Firefox', 'en'),
      deviceName(undefined, 'en'),
    ]).toMatchSnapshot();
  });
});
