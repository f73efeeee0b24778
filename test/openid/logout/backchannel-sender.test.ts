// SEC-38, SEC-49: telling clients of ended sessions, whatever they answer: who was told, who is told again, and that neither the
// others nor the end of the service wait for one that hangs. OpenID Connect Back-Channel Logout 1.0, section 2.8.

import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { outgoingFetch } from '#openid/clients/outbound-fetch.ts';
import { startLogoutSender } from '#openid/logout/backchannel-logout.ts';
import type { AuditEvent } from '#shared/audit/events.ts';
import type { OutboxWorker } from '#shared/outbox-worker.ts';
import { epochSeconds } from '#store/database/connection.ts';
import { type LogoutDeliveries, openLogoutDeliveries } from '#store/outbox/logout-deliveries.ts';
import { openTestDatabase } from '#support/databases.ts';
import { openedForAll } from '#support/opened.ts';
import { ANSWERS, type OddServer, startOddServer } from '#support/openid/odd-answers.ts';
import { until } from '#support/until.ts';

const HANGING = ['nothing for ever', 'a body that stays away', '100 for ever'];

describe('clients that are told of a sign-out', () => {
  let deliveries: LogoutDeliveries;
  let server: OddServer;
  let sender: OutboxWorker;
  let audited: AuditEvent[];
  let warned: object[];

  const opened = openedForAll(() => openTestDatabase('sqlite'));
  beforeAll(() => {
    deliveries = openLogoutDeliveries(opened.database);
  });
  beforeEach(async () => {
    server = await startOddServer();
    audited = [];
    warned = [];
  });
  afterEach(async () => {
    await sender.close();
    await server.close();
    await rows().delete();
  });

  const rows = () => opened.database('logout_deliveries');
  /** Each client is called after what it answers. */
  const add = async (clients: readonly string[]) => {
    const row = { account_id: 'person', sid: 's', created_at: epochSeconds(), due_at: 0, attempts: 0 };
    await rows().insert(clients.map((client_id) => ({ ...row, client_id })));
  };
  const start = (answerWithin?: number) => {
    sender = startLogoutSender({
      deliveries,
      token: async ({ clientId }) => ({ url: server.url(clientId), token: 'header.claims.signature' }),
      fetch: outgoingFetch({ mode: 'development', outgoing: { privateNetworks: [] } }),
      audit: { note: (event) => void audited.push(event), record: async (event) => void audited.push(event) },
      log: { warn: (about: object) => void warned.push(about) },
      ...(answerWithin !== undefined && { answerWithin }),
    });
    sender.wake();
  };
  const clientsOf = (event: string) => audited.filter((one) => one.event === event).map(({ client }) => client);

  it('were told when they answer 200 or 204, and are told again whatever else they answer', async () => {
    const answers = Object.keys(ANSWERS).filter((answer) => !HANGING.includes(answer));
    const told = answers.filter((answer) => ANSWERS[answer]?.outcome === 200 || ANSWERS[answer]?.outcome === 204);
    const others = answers.filter((answer) => !told.includes(answer)).sort();
    await add(answers);
    // None of them is late, however long this process is held up.
    start(60_000);
    await until(() => audited.length === answers.length, 'each was asked');
    expect(clientsOf('logout-token.delivered').sort()).toEqual(told.sort());
    expect(clientsOf('logout-token.failed').sort()).toEqual(others);
    const waiting = await rows().select('client_id', 'attempts', 'due_at');
    expect(waiting.map((row) => row.client_id).sort()).toEqual(others);
    for (const { attempts, due_at: dueAt } of waiting) {
      // On a machine that is held up for five seconds, the first of them are tried again meanwhile.
      expect(attempts).toBeGreaterThan(0);
      expect(Number(dueAt)).toBeGreaterThan(0);
    }

    // The clock is moved. What fails again is said in the log alone.
    await rows().update({ due_at: 0 });
    sender.wake();
    const again = () => [...new Set(warned.map((about) => (about as { client: string }).client))].sort();
    await until(() => again().length === others.length, 'each is asked again');
    expect(again()).toEqual(others);
    for (const answer of others) expect(server.asked(answer)).toBeGreaterThan(1);
    expect(audited).toHaveLength(answers.length);
  });

  it('do not wait for one that hangs, however much it is to be told', async () => {
    const [hanging = ''] = HANGING;
    await add([...Array(40).fill(hanging), 'a body', '204']);
    start(60_000);
    await until(() => clientsOf('logout-token.delivered').length === 2, 'the others are told');
    await until(() => server.asked(hanging) > 2, 'three at a time are asked');
    expect(server.asked(hanging)).toBe(3);
  });

  it('are not waited for when the service ends: what is on its way is due at the next start', async () => {
    const silent = [...HANGING, 'a body that stays away'];
    await add(silent);
    start();
    await until(() => silent.every((answer) => server.asked(answer) > 0), 'each was asked');
    await sender.close();
    expect(audited).toEqual([]);
    const due = await rows().select('attempts', 'due_at');
    expect(due.map(({ attempts }) => attempts)).toEqual(silent.map(() => 0));
    for (const { due_at: dueAt } of due) expect(Number(dueAt)).toBeLessThanOrEqual(epochSeconds());
    await until(() => server.open() === 0, 'no connection is left');
  });
});
