// Tables that many parts share: the events of the audit trail, which operators filter by, and the limits that protect the service (SEC-58).

import { describe, expect, it } from '@jest/globals';
import { SERVICE_ACCOUNT_RATE } from '#directory/middleware/limit-requests.ts';
import * as events from '#shared/audit/events.ts';
import * as passwords from '#shared/crypto/password-rules.ts';
import { LIMITS } from '#shared/limits-reached.ts';
import * as rates from '#shared/rate-limits.ts';
import { withOwnSnapshots } from '#support/jest/own-snapshots.ts';
import { rows } from '#support/rows.ts';

describe('shared tables', () => {
  withOwnSnapshots(import.meta.filename);
  const limits = { accountFailures: 10, addressFailures: 100, failureWindow: 900 };

  it('SEC-48 events have these names, outcomes and meanings', () => {
    expect(rows(events.AUDIT_EVENTS)).toMatchSnapshot();
  });

  it('SEC-58 rates and limits are these', () => {
    const { INVALID_TOKEN_RULES, OPEN_RENDERING_RULES } = rates;
    const signIn = rates.signInRules(limits as never);
    const clientSecret = rates.clientSecretRules(limits as never);
    const others = [rates.serviceAccountRule(7), INVALID_TOKEN_RULES, OPEN_RENDERING_RULES, SERVICE_ACCOUNT_RATE];
    expect(rows({ LIMITS, signIn, clientSecret, others })).toMatchSnapshot();
  });

  it('passwords have these bounds and texts', () => {
    expect([passwords.PASSWORD_LENGTH, passwords.PASSWORD_PROBLEM_TEXTS]).toMatchSnapshot();
  });
});
