// The files of the pages: coloured, cached for good, renamed when they change.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import express from 'express';
import request from 'supertest';
import { loadAssets } from '#web/assets.ts';

const FOLDER = join(import.meta.dirname, '../../src/web/assets');
const FILES = ['style.css', ...readdirSync(FOLDER).filter((name) => name.endsWith('.svg'))];
const assets = loadAssets('#0b5f6b');
const app = express().use('/assets', assets.router);

describe('assets', () => {
  it.each(FILES)('%s is served to be kept for good', async (name) => {
    const answer = await request(app).get(assets.path(name)).expect(200);
    expect(answer.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(answer.headers['content-type']).toMatch(name.endsWith('.css') ? 'text/css; charset=utf-8' : 'image/svg+xml');
  });

  it('have other addresses when their content is another', async () => {
    expect(loadAssets('#7a1f4b').path('style.css')).not.toBe(assets.path('style.css'));
    expect(loadAssets('#0b5f6b').path('style.css')).toBe(assets.path('style.css'));
    await request(app).get(loadAssets('#7a1f4b').path('style.css')).expect(404);
  });

  it('carry the accent of the operator', async () => {
    const style = await request(app).get(assets.path('style.css'));
    expect(style.text).toContain('--accent: #0b5f6b');
    const mark = await request(app).get(assets.path('mark.svg')).buffer();
    expect(String(mark.body)).toContain('fill="#0b5f6b"');
  });

  it('the style sheet holds every rule, each file once', async () => {
    const { text } = await request(app).get(assets.path('style.css'));
    const sources = readdirSync(join(FOLDER, 'style'));
    expect(sources.length).toBeGreaterThan(1);
    for (const source of sources) {
      const rules = readFileSync(join(FOLDER, 'style', source), 'utf8');
      expect([source, text.split(rules)]).toEqual([source, [expect.any(String), expect.any(String)]]);
    }
  });

  it('refer to one another and to nothing elsewhere (SEC-31)', async () => {
    const { text } = await request(app).get(assets.path('style.css'));
    const targets = [...text.matchAll(/url\("?([^")]+)"?\)/g)].map(([, target]) => target);
    expect(targets.length).toBeGreaterThan(0);
    for (const target of targets) expect(FILES).toContain(target);
    expect(text).not.toMatch(/@import|https?:/);
  });

  it.each(['nothing.css', '..%2fassets.ts', '%00'])('answer 404 for %s', async (name) => {
    await request(app).get(assets.path('style.css').replace('style.css', name)).expect(404);
    expect(() => assets.path(name)).toThrow('does not exist');
  });
});
