// What express-session does not promise by itself: a redirect waits until the session is stored, and each session keeps its
// own cookie.

import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import express from 'express';
import session, { type SessionData } from 'express-session';
import { pageSessions } from '#web/http/page-session.ts';
import { createSite } from '#web/site.ts';

const kept = new Map<string, SessionData>();

/** A database on a slow day. */
class SlowStore extends session.Store {
  override get(id: string, done: (error: unknown, data?: SessionData | null) => void): void {
    done(null, kept.get(id) ?? null);
  }
  override set(id: string, data: SessionData, done: (error?: unknown) => void = () => {}): void {
    setTimeout(100).then(() => {
      kept.set(id, data);
      done();
    });
  }
  override destroy(id: string, done: (error?: unknown) => void = () => {}): void {
    kept.delete(id);
    done();
  }
}

const app = express();
const branding = { name: 'Hygie', colour: '#0b5f6b' };
const site = createSite({ issuer: 'http://localhost', branding });
const sessionOf = pageSessions(site, () => new SlowStore(), ['only for this test'], 60);
for (const name of ['one', 'two']) {
  app.get(`/${name}`, sessionOf(name, `/${name}`), (req, res) => {
    req.session.csrf = name;
    if (req.query['short'] === undefined) res.redirect(303, `/${name}/next`);
    else res.redirect(`/${name}/next`);
  });
}
const server = app.listen(0, '127.0.0.1');
let address: string;
beforeAll(async () => {
  if (!server.listening) await once(server, 'listening');
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

it('a redirect leaves once the session is stored', async () => {
  for (const [path, status] of [
    ['/one', 303],
    ['/one?short', 302],
  ] as const) {
    kept.clear();
    // Resolves with the head of the answer, at which a browser goes on.
    const answer = await fetch(address + path, { redirect: 'manual', headers: { accept: 'text/html' } });
    expect([answer.status, answer.headers.get('location'), kept.size]).toEqual([status, '/one/next', 1]);
  }
});

it('each session has a cookie of its own, whichever was made last', async () => {
  for (const name of ['one', 'two']) {
    const { headers } = await fetch(`${address}/${name}`, { redirect: 'manual' });
    expect(headers.get('set-cookie')).toMatch(new RegExp(`^${name}=[^;]+; Path=/${name}; `));
  }
});
