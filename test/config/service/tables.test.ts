// The keys of service.yaml as the schema beside it has them, the guards of an import, and the lifetimes that nobody sets.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { EXPECTED_REGISTERS, FIXED_LIMITS, GUARDS, type GuardRow, OTHER_PEOPLE } from '#config/service/guard-table.ts';
import { MAIL_PORTS } from '#config/service/mail-schema.ts';
import { checkService, NO_DATABASE, NO_DEMO, networkProblem } from '#config/service/service-checks.ts';
import { FIXED_KEYS, LINK_LIFETIMES, SERVICE_KEYS } from '#config/service/service-schema.ts';
import { guardTable } from '#support/config/guards.ts';
import { schemaFile } from '#support/config/schema-file.ts';
import { CONFIG, shipped } from '#support/config/shipped.ts';

describe('tables of the settings', () => {
  it('guards are those of the handbook (npm run schemas)', () => {
    expect(readFileSync(join(CONFIG, '../docs/directory-guards.md'), 'utf8')).toContain(guardTable());
    const kinds = Object.entries(GUARDS).flatMap(([key, { limit }]: [string, GuardRow]) =>
      limit && limit.kind !== 'share' ? [[key, limit.kind]] : [],
    );
    expect(Object.fromEntries(kinds)).toEqual({ unusableLinesInAll: 'count', registersApart: 'days' });
    expect(Object.keys(FIXED_LIMITS)).toHaveLength(16);
    expect(EXPECTED_REGISTERS).toEqual(['activities', 'diplomas', 'skills', 'mailboxes', 'finess']);
    expect(OTHER_PEOPLE).toBe('other-people');
  });

  it('ports and lifetimes are these', () => {
    expect(MAIL_PORTS).toEqual({ none: 25, starttls: 587, tls: 465 });
    expect(LINK_LIFETIMES).toEqual({ emailChange: 3600, emailVerification: 86_400, passwordReset: 1800 });
  });

  it('what nobody sets is said to be fixed', () => {
    const limits = Object.entries(FIXED_LIMITS).map(([key, limit]) => [
      `directory.guards.${key}`,
      `It is fixed at ${limit}; --accept takes an edition that a guard refused.`,
    ]);
    expect(FIXED_KEYS).toEqual({
      ...Object.fromEntries(limits),
      'hsts.preload':
        'It is never sent: browsers list whole domains (hstspreload.org), and the service is only one part of its domain.',
      'lifetimes.emailChange': 'It is fixed: a link that confirms another address is good for an hour.',
      'lifetimes.emailVerification': 'It is fixed: a link that verifies an address is good for a day.',
      'lifetimes.passwordReset': 'It is fixed: a link for a new password is good for 30 minutes.',
    });
  });

  it('keys are those of the schema beside the file (npm run schemas)', () => {
    expect(JSON.parse(shipped('service.schema.json'))).toEqual(schemaFile(SERVICE_KEYS));
  });

  it('what keys may not be together is said with its remedy', () => {
    const said = (production: boolean, value: object | null) => {
      const issues: { path: string[]; message: string; params: { remedy: string } }[] = [];
      const addIssue = (issue: (typeof issues)[number]) => void issues.push(issue);
      checkService(production)(value, { addIssue } as never);
      return issues.map(({ path, message, params }) => `${path.join('.')}: ${message} ${params.remedy}`);
    };
    const secured = (port: number) => ({ metrics: { port: 1 }, listen: { port, tls: {} }, issuer: 'http://a.example' });
    expect(said(true, {})).toEqual([
      'issuer: Production needs the public address of the service. Set HYGIE_ISSUER, or issuer in service.yaml, to the https address under which people reach the service.',
    ]);
    expect(said(true, null)).toEqual(said(true, {}));
    expect(said(false, { ...secured(1), proxies: 0 })).toEqual([
      'metrics.port: Is the port of the service itself. Choose another one, such as 9464; or remove it and set metrics.token: then {issuer}/metrics answers.',
      'issuer: Is http, but the service answers only https (listen.tls). Write https, or remove listen.tls.',
    ]);
    expect(said(true, { ...secured(2), proxies: 1 })).toEqual([]);
    const redirected = { port: 443, redirectPort: 1, tls: {} };
    expect(said(false, { ...secured(1), listen: redirected, issuer: 'https://a.example' })).toEqual([
      expect.stringMatching(/^metrics\.port: Is the port of the service itself/),
    ]);
    expect(said(false, { listen: { port: 1, tls: {} }, proxies: 0, issuer: 'https://a.example' })).toEqual([]);
    expect(NO_DEMO).toEqual({
      problem: 'Production refuses fictional people and the demo relying party.',
      remedy: 'Remove this key, or set it to false; for a test service with fictional people, set HYGIE_SANDBOX=1.',
    });
    expect(NO_DATABASE).toEqual({
      problem:
        'Snapshots travel through PostgreSQL, but DATABASE_URL is not set. SQLite serves only one machine, which has the file.',
      remedy: 'Set DATABASE_URL to a PostgreSQL database, or write folder, or remove the key.',
    });
    expect([networkProblem('x'), networkProblem('10.0.0.0/8')]).toEqual([
      {
        problem: 'Is no network.',
        remedy: 'Write address and length: 10.20.0.0/16, fd12::/16, 192.168.1.7/32.',
      },
      undefined,
    ]);
  });
});
