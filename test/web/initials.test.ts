// The letters of a picture in any script, and that its white letters can be read on every ground.

import { describe, expect, it } from '@jest/globals';
import { contrast, parse } from '#web/accent-colour.ts';
import { initialsOf, initialsPicture } from '#web/initials.ts';

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
