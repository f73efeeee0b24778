// SEC-39, SEC-69: neither the text nor the time of an answer says who has an account. Counted, not timed: whoever is asked for, the
// whole answer is there before the account is looked for.

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import express from 'express';
import type { LinkMail, LinkOptions } from '../../../src/account/links/link-context.ts';
import { linkRouter } from '../../../src/account/links/router.ts';
import { NO_AUDIT } from '../../../src/shared/audit/events.ts';
import { derivedTokens } from '../../../src/web/forms/csrf.ts';
import { createSite } from '../../../src/web/site.ts';
import { createPerson } from '../../support/person.ts';
import { until } from '../../support/until.ts';

const KNOWN = 'known@clinic.example';
const LOGINS = [KNOWN, 'disabled@clinic.example', 'nobody@clinic.example'];

let server: Server;
let origin: string;
const lookedFor: string[] = [];
const mails: LinkMail[] = [];
const errors: unknown[] = [];
/** The database answers once this is called. */
let answer: () => void;
let database: Promise<void>;

beforeAll(async () => {
  server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const branding = { name: 'Hygie', colour: '#0b5f6b' };
  const options: Partial<LinkOptions> = {
    site: createSite({ issuer: origin, branding, mode: 'development' }),
    accounts: {
      findByEmail: async (login) => {
        lookedFor.push(login);
        await database;
        if (login === 'nobody@clinic.example') return undefined;
        return { account: { id: login, status: login === KNOWN ? 'active' : 'disabled' } as never };
      },
    },
    enqueue: async (mail) => void mails.push(mail),
    countMail: async () => 0,
    csrfTokens: derivedTokens(['a key of this test']),
    signInLifetime: 60,
    resetLifetime: 1800,
    audit: NO_AUDIT,
    log: { error: (fields) => void errors.push(fields) },
  };
  server.on('request', express().use('/account-link', linkRouter(options as LinkOptions)));
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

it('SEC-39 the answer is complete while the database has said nothing yet, and the same for everybody', async () => {
  database = new Promise((resolve) => {
    answer = resolve;
  });
  const answers = await Promise.all(
    LOGINS.map(async (login) => {
      const person = createPerson(origin);
      const page = await person.visit('/account-link/password-reset');
      const { status, html, headers } = await person.press(page, 'send-link', { login });
      return {
        status,
        html: html.replaceAll('<wbr>', '').replaceAll(login, 'LOGIN'),
        names: [...headers.keys()].sort(),
      };
    }),
  );
  expect(answers[0]?.html).toContain('LOGIN');
  expect(answers[0]?.status).toBe(200);
  expect(answers).toEqual([answers[0], answers[0], answers[0]]);
  await until(() => lookedFor.length === LOGINS.length, 'each is looked for');
  expect(mails).toEqual([]);
  answer();
  await until(() => mails.length > 0, 'the mail of the known one');
  expect(mails).toMatchObject([{ kind: 'password-reset', accountId: KNOWN }]);
  expect(errors).toEqual([]);
});
