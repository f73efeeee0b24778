// SEC-33: the session of a page: its cookie, when it is stored, and the new id after a sign-in.

import { describe, expect, it } from '@jest/globals';
import express, { type ErrorRequestHandler } from 'express';
import session, { type SessionData } from 'express-session';
import request from 'supertest';
import { pageSessions, renewSession } from '#web/http/page-session.ts';
import { createSite } from '#web/site.ts';

describe('SEC-33 the session of a page', () => {
  const branding = { name: 'Hygie', colour: '#0b5f6b' };

  function serve({ issuer = 'http://localhost/base', failing = false } = {}) {
    const stored = new Map<string, SessionData>();
    const writes: string[] = [];
    class Store extends session.Store {
      override get(id: string, done: (error: unknown, data?: SessionData | null) => void): void {
        done(null, stored.get(id) ?? null);
      }
      override set(id: string, data: SessionData, done: (error?: unknown) => void = () => {}): void {
        writes.push(id);
        stored.set(id, data);
        done();
      }
      override destroy(id: string, done: (error?: unknown) => void = () => {}): void {
        stored.delete(id);
        done(failing ? new Error('the database is away') : undefined);
      }
    }
    const opened: Store[] = [];
    const sessionOf = pageSessions(
      createSite({ issuer, branding }),
      () => {
        const store = new Store();
        opened.push(store);
        return store;
      },
      ['new key', 'old key'],
      60,
    );
    const app = express().set('trust proxy', true);
    const router = express.Router();
    const one = sessionOf('one', '/one');
    sessionOf('two', '/two');
    router.get(
      '/base/one/read',
      one,
      (req, res) => void res.json({ id: req.sessionID, csrf: req.session.csrf ?? null }),
    );
    router.get('/base/one/write', one, (req, res) => {
      req.session.csrf = 'x';
      res.json({ id: req.sessionID });
    });
    router.get('/base/one/renew', one, async (req, res) => {
      const before = req.sessionID;
      await renewSession(req);
      req.session.csrf = 'y';
      res.json({ before, id: req.sessionID });
    });
    router.get('/base/one/away', one, (_req, res) => res.redirect('/base/else'));
    router.get('/base/one/moved', one, (_req, res) => res.redirect(301, '/base/else'));
    app.use(router);
    app.use((_req, res) => void res.status(404).send('outside'));
    app.use(((error, _req, res, _next) => void res.status(500).send(error.message)) satisfies ErrorRequestHandler);
    return { app, stored, writes, opened };
  }
  const cookieOf = (answer: request.Response) => String(answer.headers['set-cookie'] ?? '');

  it('has a cookie for its path alone, out of reach of scripts and of other sites, for its lifetime', async () => {
    const { app } = serve();
    const before = Date.now();
    const cookie = cookieOf(await request(app).get('/base/one/write'));
    const [, expires = ''] = /Expires=([^;]+)/.exec(cookie) ?? [];
    expect(cookie.replace(/^one=s%3A[\w%-]+\.[\w%-]+;/, 'one=(id);').replace(expires, '(time)')).toBe(
      'one=(id); Path=/base/one; Expires=(time); HttpOnly; SameSite=Lax',
    );
    expect(Math.abs(Date.parse(expires) - before - 60_000)).toBeLessThan(30_000);
    const secure = serve({ issuer: 'https://connect.example' });
    expect(cookieOf(await request(secure.app).get('/base/one/write'))).toBe('');
    const sent = await request(secure.app).get('/base/one/write').set('X-Forwarded-Proto', 'https');
    expect([sent.status, cookieOf(sent)]).toEqual([404, '']);
  });

  it('over https has the prefix that browsers enforce', async () => {
    const { app } = serve({ issuer: 'https://connect.example/base' });
    const cookie = cookieOf(await request(app).get('/base/one/write').set('X-Forwarded-Proto', 'https'));
    expect(cookie).toMatch(/^__Secure-one=s%3A.*; Path=\/base\/one; .*; HttpOnly; Secure; SameSite=Lax$/);
    expect(cookieOf(await request(app).get('/base/one/write'))).toBe('');
  });

  it('is stored once it holds something, and not again where nothing changed; each has a store of its own', async () => {
    const { app, writes, opened } = serve();
    const empty = await request(app).get('/base/one/read');
    expect([cookieOf(empty), writes, opened.length]).toEqual(['', [], 2]);
    const written = await request(app).get('/base/one/write');
    expect(writes).toEqual([written.body.id]);
    const read = await request(app)
      .get('/base/one/read')
      .set('Cookie', cookieOf(written).split(';')[0] ?? '');
    expect([read.body, writes.length]).toEqual([{ id: written.body.id, csrf: 'x' }, 1]);
  });

  it('has another id after a sign-in, and nothing of the one before', async () => {
    const { app, stored } = serve();
    const first = await request(app).get('/base/one/write');
    const renewed = await request(app)
      .get('/base/one/renew')
      .set('Cookie', cookieOf(first).split(';')[0] ?? '');
    expect(renewed.body.before).toBe(first.body.id);
    expect(renewed.body.id).not.toBe(first.body.id);
    expect([...stored.keys()]).toEqual([renewed.body.id]);
    const failing = await request(serve({ failing: true }).app).get('/base/one/renew');
    expect([failing.status, failing.text]).toEqual([500, 'the database is away']);
  });

  it('an address in another case is unknown, for browsers send no cookie there', async () => {
    const { app } = serve();
    expect((await request(app).get('/base/ONE/read')).text).toBe('outside');
  });

  it('a redirect has no body, which would be sent before the session is stored', async () => {
    const { app } = serve();
    const [found, moved] = [await request(app).get('/base/one/away'), await request(app).get('/base/one/moved')];
    expect([found, moved].map(({ status, headers, text }) => [status, headers['location'], text])).toEqual([
      [302, '/base/else', ''],
      [301, '/base/else', ''],
    ]);
  });
});
