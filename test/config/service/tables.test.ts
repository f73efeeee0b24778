// The keys of service.yaml as the schema beside it has them, the guards of an import, and the lifetimes that nobody sets.

import { describe, expect, it } from '@jest/globals';
import { EXPECTED_REGISTERS, FIXED_LIMITS, GUARDS, OTHER_PEOPLE } from '#config/service/guard-table.ts';
import { MAIL_PORTS } from '#config/service/mail-schema.ts';
import { checkService, NO_DATABASE, NO_DEMO, networkProblem } from '#config/service/service-checks.ts';
import { FIXED_KEYS, LINK_LIFETIMES, SERVICE_KEYS } from '#config/service/service-schema.ts';
import { schemaFile } from '#support/config/schema-file.ts';
import { shipped } from '#support/config/shipped.ts';
import { withOwnSnapshots } from '#support/jest/own-snapshots.ts';

describe('tables of the settings', () => {
  withOwnSnapshots(import.meta.filename);
  it('guards, ports and lifetimes are these', () => {
    expect({ GUARDS, EXPECTED_REGISTERS, FIXED_LIMITS, OTHER_PEOPLE, MAIL_PORTS }).toMatchSnapshot();
    expect({ LINK_LIFETIMES, FIXED_KEYS }).toMatchSnapshot();
  });

  it('keys are those of the schema beside the file (npm run schemas)', () => {
    expect(JSON.parse(JSON.stringify(schemaFile(SERVICE_KEYS)))).toEqual(JSON.parse(shipped('service.schema.json')));
  });

  it('what keys may not be together is said with its remedy', () => {
    const issues: unknown[] = [];
    const check = (production: boolean, value: object | null) =>
      checkService(production)(value, { addIssue: (issue: unknown) => void issues.push(issue) } as never);
    check(true, {});
    check(false, { metrics: { port: 1 }, listen: { port: 1, tls: {} }, proxies: 0, issuer: 'http://a.example' });
    check(true, { metrics: { port: 1 }, listen: { port: 2, tls: {} }, proxies: 1, issuer: 'http://a.example' });
    check(false, { listen: { port: 1, tls: {} }, proxies: 0, issuer: 'https://a.example' });
    check(true, null);
    expect([issues, NO_DEMO, NO_DATABASE, networkProblem('x'), networkProblem('10.0.0.0/8')]).toMatchSnapshot();
  });
});
