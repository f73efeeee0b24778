// Operations: a machine that starts with a clock years ahead, as after a flat battery, and then is set right. What was noted
// until then must not lock anybody out, hold anything up, or let a token be used again, for years. (SEC-25, SEC-26, SEC-38,
// SEC-39)

import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { createClientKeySets } from '#openid/clients/client-key-sets.ts';
import { startLogoutSender } from '#openid/logout/backchannel-logout.ts';
import type { AuditRecord } from '#store/audit/audit-events.ts';
import { openAuditTrail } from '#store/audit/audit-trail.ts';
import { epochSeconds } from '#store/database/connection.ts';
import { openLogoutDeliveries, type Share } from '#store/outbox/logout-deliveries.ts';
import { NO_AUDIT } from '#support/audit-trail.ts';
import { bothEngines } from '#support/both-engines.ts';
import { openTestDatabase } from '#support/databases.ts';
import { openedForAll } from '#support/opened.ts';
import { refreshing } from '#support/openid/refreshing.ts';
import { until } from '#support/until.ts';

describe('clock set back', () => {
  const YEARS = 10 * 365 * 86_400;
  const ahead = () => {
    const now = Date.now() + YEARS * 1000;
    jest.spyOn(Date, 'now').mockReturnValue(now);
  };
  /** The clock is set right, and so much time goes by. */
  const back = (seconds = 0) => {
    jest.restoreAllMocks();
    const now = performance.now() + seconds * 1000;
    if (seconds > 0) jest.spyOn(performance, 'now').mockReturnValue(now);
  };
  afterEach(() => {
    jest.restoreAllMocks();
  });

  describe.each(bothEngines('openid/provider/clock-set-back'))('a clock that was years ahead, on %s', (engine) => {
    const opened = openedForAll(() => openTestDatabase(engine));

    it('SEC-38 sign-outs that waited then are told now', async () => {
      const deliveries = openLogoutDeliveries(opened.database);
      const share: Share = { most: 9, perClient: 9, except: [], lease: 30 };
      ahead();
      await deliveries.add({ clientId: 'one', accountId: 'a', sid: 's' });
      back();
      await deliveries.add({ clientId: 'two', accountId: 'a', sid: 's' });
      expect((await deliveries.take(share)).map(({ clientId }) => clientId)).toEqual(['two']);
      expect(await deliveries.hasten()).toBe(1);
      const [taken] = await deliveries.take(share);
      expect(taken?.clientId).toBe('one');
      expect(taken?.createdAt).toBeLessThanOrEqual(epochSeconds());
    });
  });

  describe('SEC-26 a refresh token that was used then', () => {
    const { obtain, ask, usedAgo } = refreshing('sqlite');
    it('is not good for another use until that time comes', async () => {
      const { refresh_token } = await obtain();
      expect((await ask(refresh_token)).status).toBe(200);
      await usedAgo(refresh_token, -YEARS);
      expect((await ask(refresh_token)).status).toBe(400);
    });
  });

  describe('a clock that was years ahead, in the memory of a process', () => {
    it('keys that a client publishes are read again', async () => {
      let readings = 0;
      const keySets = createClientKeySets(async () => {
        readings += 1;
        return Response.json({ keys: [] });
      });
      const url = 'https://c.example/jwks';
      const read = async () => {
        const metadata = keySets.withReading({ client_id: 'c', jwks_uri: url });
        await keySets.fetch(url);
        return metadata['hygie_key_set_reading'];
      };
      ahead();
      const before = await read();
      expect(await read()).toBe(before);
      back();
      expect(await read()).not.toBe(before);
      expect(readings).toBe(2);
    });

    it('SEC-38 an application that did not answer then is asked again after its rest', async () => {
      const shares: Share[] = [];
      const delivery = { id: '1', clientId: 'slow', accountId: 'a', sid: 's', createdAt: 0, attempts: 1 };
      const deliveries = {
        take: async (share: Share) => (shares.push(share) === 1 ? [delivery] : []),
        end: async () => {},
        postpone: async () => {},
      };
      ahead();
      const sender = startLogoutSender({
        deliveries: deliveries as never,
        token: async () => ({ url: 'https://c.example/', token: 't' }),
        fetch: async () => Promise.reject(Object.assign(new Error('late'), { name: 'TimeoutError' })),
        audit: NO_AUDIT,
        log: { warn: () => {} } as never,
      });
      sender.wake();
      await until(() => shares.some(({ except }) => except.includes('slow')), 'it rests');
      back(31);
      const before = shares.length;
      sender.wake();
      await until(() => shares.length > before, 'the next look');
      await sender.close();
      expect(shares.at(-1)?.except).toEqual([]);
    });

    it('SEC-48 refusals are recorded one by one again after a minute', async () => {
      const kept: AuditRecord[] = [];
      const events = { append: async (records: readonly AuditRecord[]) => void kept.push(...records) };
      const now = Date.now();
      jest.useFakeTimers({ now: now + YEARS * 1000 });
      try {
        const trail = openAuditTrail({ events: events as never, actor: 'service' });
        const refused = { event: 'token.refused', address: '192.0.2.1' } as const;
        for (let times = 0; times < 130; times += 1) await trail.record(refused);
        jest.setSystemTime(now);
        await jest.advanceTimersByTimeAsync(61_000);
        const before = kept.length;
        await trail.record(refused);
        await trail.close();
        expect(kept.slice(before).filter(({ event }) => event === 'token.refused')).toHaveLength(1);
      } finally {
        jest.useRealTimers();
      }
    });
  });
});
