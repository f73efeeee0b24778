// The colours, pictures and files of the pages: text stays readable whatever accent colour an operator chooses (WCAG 2.2, 1.4.3).

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { accentProperties, contrast, markColour, parse } from '#web/accent-colour.ts';
import '#support/seed.ts';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import express from 'express';
import request from 'supertest';
import { loadAssets } from '#web/assets.ts';
import { initialsOf, initialsPicture } from '#web/initials.ts';

const colours = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`);

it('colours from the accent keep a contrast of 4.5 in both schemes', () => {
  fc.assert(
    fc.property(colours, (accent) => {
      const { light, dark } = accentProperties(accent);
      const between = (set: Record<string, string>, text: string, ground: string) =>
        contrast(
          parse(text.startsWith('#') ? text : (set[text] ?? '')),
          parse(ground.startsWith('#') ? ground : (set[ground] ?? '')),
        );
      for (const set of [light, dark]) {
        expect(between(set, '--on-accent', '--accent')).toBeGreaterThanOrEqual(4.5);
        expect(between(set, '--on-accent', '--accent-strong')).toBeGreaterThanOrEqual(4.5);
        expect(between(set, '#ffffff', '--panel')).toBeGreaterThanOrEqual(4.5);
        expect(between(set, '#ffffff', '--panel-deep')).toBeGreaterThanOrEqual(4.5);
        expect(between(set, '--accent-ink', '--accent-soft')).toBeGreaterThanOrEqual(3);
      }
      for (const ground of ['#ffffff', '#f3f6f7'])
        expect(between(light, '--accent-ink', ground)).toBeGreaterThanOrEqual(4.5);
      for (const ground of ['#11181b', '#1a2327'])
        expect(between(dark, '--accent-ink', ground)).toBeGreaterThanOrEqual(4.5);
      expect(contrast(parse(markColour(accent)), parse('#ffffff'))).toBeGreaterThanOrEqual(4.5);
    }),
  );
});

// The files of the pages: coloured, cached for good, renamed when they change.
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
    const answer = await request(app).get(assets.path('style.css').replace('style.css', name)).expect(404);
    if (name === 'nothing.css') expect([answer.type, answer.text]).toEqual(['text/plain', 'No such file.\n']);
    expect(() => assets.path(name)).toThrow('does not exist');
  });
});

// The letters of a picture in any script, and that its white letters can be read on every ground.
describe('initials', () => {
  it.each([
    ['Mathilde Du Chardey', 'MC'],
    ['Dr. Zoé Martin', 'ZM'],
    ['Éléonore', 'É'],
    ['E\u0301le\u0301onore', 'E\u0301'],
    ["  «jean-pierre»   d'Artagnan  ", 'JD'],
    ['Perrin (Nadia)', 'PN'],
    ['Weiß ßen', 'Wß'],
    ['محمد علي', 'م\u200cع'],
    ['山田太郎', '山'],
    ['김 민준', '김\u200c민'],
    ['क्षितिज शर्मा', 'क्षि\u200cश'],
    ['გიორგი', 'გ'],
    ['Ольга Иванова', 'О\u200cИ'],
    ['🦊 Renard', 'R'],
    ['👩🏽\u200d⚕\ufe0f', '👩🏽\u200d⚕\ufe0f'],
    ['007', '0'],
  ])('of %j are %j', (name, letters) => {
    expect(/>([^<>]+)<\/text>/.exec(String(initialsPicture(name, 0)))?.[1]).toBe(letters);
  });

  it.each(['', ' ', '---', '\u200b', '\ud800'])('of %j there are none: a figure stands in their place', (name) => {
    expect(initialsOf(name)).toEqual([]);
    expect(String(initialsPicture(name, 0))).toMatch(/<circle [^>]*\/><path [^>]*\/><\/svg>$/);
  });

  it('SEC-43 nothing of a name is markup', () => {
    for (const name of ['<script>alert(1)</script>', '"><svg onload=x', '&lt; &amp;', '<b> </b>'])
      expect(String(initialsPicture(name, 1))).toMatch(
        /^<svg [^<>]*><rect [^<>]*\/>(<text [^<>]*>[A-Z\u200c]{1,2}<\/text>|<circle [^<>]*\/><path [^<>]*\/>)<\/svg>$/,
      );
    const family = '👨\u200d👩\u200d👧\u200d👦';
    expect(initialsOf(`${family}${family}`)).toEqual([family]);
  });

  it('white letters have a contrast of 5 to every ground', () => {
    const grounds = Array.from(
      { length: 50 },
      (_, n) => /fill="(#\w{6})"/.exec(String(initialsPicture('A', n)))?.[1] ?? '',
    );
    expect(new Set(grounds).size).toBe(10);
    for (const ground of grounds) expect(contrast(parse(ground), [255, 255, 255])).toBeGreaterThanOrEqual(5);
  });
});
