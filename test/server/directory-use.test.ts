// SEC-48: what clients ask the directory with tokens of their own (`directoryAccess`) is countable in the audit trail.

import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { countDirectoryUse } from '#server/audit/directory-use.ts';
import type { AuditEvent } from '#shared/audit/events.ts';

beforeEach(() => void jest.useFakeTimers({ now: Date.UTC(2026, 0, 1) }));
afterEach(() => void jest.useRealTimers());

it('has one record for each client and hour, and the rest at the end', () => {
  const noted: AuditEvent[] = [];
  const use = countDirectoryUse({ note: (event) => void noted.push(event) });
  for (const client of ['a', 'b', 'a']) use.count(client);
  jest.advanceTimersByTime(3_600_000);
  const since = '2026-01-01T00:00:00.000Z';
  const record = (client: string, requests: number, first = since) => ({
    event: 'directory.used',
    actor: `client:${client}`,
    client,
    details: { requests, since: first },
  });
  expect(noted.splice(0)).toEqual([record('a', 2), record('b', 1)]);
  // Nothing asked, nothing recorded.
  jest.advanceTimersByTime(3_600_000);
  use.count('a');
  use.close();
  expect(noted).toEqual([record('a', 1, '2026-01-01T02:00:00.000Z')]);
  expect(jest.getTimerCount()).toBe(0);
});
