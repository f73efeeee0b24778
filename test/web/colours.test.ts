// The colours that follow from an accent, and the picture of initials, by their values: a brand's colours change only when somebody means it.

import { describe, expect, it } from '@jest/globals';
import { accentProperties, contrast, markColour, parse } from '#web/accent-colour.ts';
import { initialsOf, initialsPicture } from '#web/initials.ts';

describe('the colours of an accent', () => {
  it.each<{ accent: string; mark: string; light: string; dark: string }>`
    accent       | mark         | light                                                        | dark
    ${'#0b5f6b'} | ${'#0b5f6b'} | ${'#0b5f6b #094c56 #ffffff #0b5f6b #e7eff0 #0b5d69 #06333a'} | ${'#31bfd3 #65cfde #03171a #31bfd3 #1a3d44 #073c44 #031c20'}
    ${'#ffcc00'} | ${'#8a6e00'} | ${'#8a6e00 #6e5800 #ffffff #856a00 #f3f1e6 #665200 #382d00'} | ${'#d2b12d #ddc562 #1a1500 #d2b12d #3a391f #423500 #1f1900'}
    ${'#e91e63'} | ${'#db1c5d'} | ${'#db1c5d #af164a #ffffff #d21b59 #fbe8ef #a31545 #5a0c26'} | ${'#e998b4 #efb2c7 #290511 #e998b4 #4f2337 #6a0e2d #310615'}
    ${'#808080'} | ${'#737373'} | ${'#737373 #5c5c5c #ffffff #6c6c6c #f1f1f1 #545454 #2e2e2e'} | ${'#b0b0b0 #c4c4c4 #151515 #b0b0b0 #34393d #373737 #191919'}
    ${'#000000'} | ${'#000000'} | ${'#000000 #000000 #ffffff #000000 #e6e6e6 #000000 #000000'} | ${'#b0b0b0 #c4c4c4 #000000 #b0b0b0 #161c1f #000000 #000000'}
    ${'#ffffff'} | ${'#707070'} | ${'#707070 #5a5a5a #ffffff #6b6b6b #f1f1f1 #525252 #2d2d2d'} | ${'#ffffff #ffffff #151515 #ffffff #33393c #353535 #191919'}
    ${'#0000FF'} | ${'#0000ff'} | ${'#0000ff #0000cc #ffffff #0000ff #e6e6ff #0000ff #00008c'} | ${'#ababed #c0c0f2 #000040 #ababed #161c78 #0000a6 #00004d'}
  `('$accent are these', ({ accent, mark, light, dark }) => {
    const properties = accentProperties(accent);
    const order = [
      '--accent',
      '--accent-strong',
      '--on-accent',
      '--accent-ink',
      '--accent-soft',
      '--panel',
      '--panel-deep',
    ];
    expect([Object.keys(properties.light), Object.keys(properties.dark)]).toEqual([order, order]);
    expect([markColour(accent), ...Object.values(properties).map((set) => Object.values(set).join(' '))]).toEqual([
      mark,
      light,
      dark,
    ]);
  });

  it('the contrast is that of WCAG 2', () => {
    const rounded = (one: string, other: string) => contrast(parse(one), parse(other)).toFixed(3);
    expect([
      rounded('#ffffff', '#000000'),
      rounded('#000000', '#ffffff'),
      rounded('#777777', '#ffffff'),
      rounded('#ff0000', '#ffffff'),
      rounded('#00ff00', '#ffffff'),
      rounded('#0000ff', '#ffffff'),
      rounded('#0a0a0a', '#000000'),
      rounded('#0b0b0b', '#000000'),
    ]).toEqual(['21.000', '21.000', '4.478', '3.998', '1.372', '8.592', '1.061', '1.067']);
    expect(parse('#0B5f6b')).toEqual([11, 95, 107]);
  });

  it.each(['teal', '#0b5f6', '#0b5f6b0', '0b5f6b', '#0b5f6g', ' #0b5f6b'])('%s is no colour', (colour) => {
    expect(() => parse(colour)).toThrow(
      new Error(`branding.colour: "${colour}" is no colour; write # and six hexadecimal digits, such as #0b5f6b`),
    );
  });
});

describe('the picture of initials', () => {
  const GROUNDS = '#9f1d49 #a3341c #7f5200 #4d6600 #1d6b34 #00695f #005f86 #2b57b5 #5a48b8 #853c9c'.split(' ');
  const picture = (ground: string | undefined, shape: string) =>
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 96 96" width="256" height="256"><rect width="96" height="96" fill="${ground}"/>${shape}</svg>`;
  const text = (letters: string) =>
    `<text x="48" y="48" dy=".35em" text-anchor="middle" font-family="system-ui, sans-serif" font-size="38" font-weight="600" fill="#fff">${letters}</text>`;

  it('has the letters on one of ten grounds, in turn', () => {
    for (let number = 0; number < 12; number++)
      expect(String(initialsPicture('Ann Lee', number))).toBe(picture(GROUNDS[number % 10], text('AL')));
    expect(String(initialsPicture('Ольга Иванова', 0))).toBe(picture(GROUNDS[0], text('О\u200cИ')));
    expect(String(initialsPicture('', 1))).toBe(
      picture(
        GROUNDS[1],
        '<circle cx="48" cy="38" r="16" fill="#fff"/><path d="M12 96c3-25 17-35 36-35s33 10 36 35z" fill="#fff"/>',
      ),
    );
  });

  it.each([
    ['Ann', ['A']],
    ['ann maria lee', ['A', 'L']],
    ['Dr Ann Lee', ['A', 'L']],
    ['Pr. Ann Lee', ['A', 'L']],
    ['M Ann', ['A']],
    ['mme. Ann', ['A']],
    ['Mr Ann', ['A']],
    ['Mrs Ann', ['A']],
    ['Ms Ann', ['A']],
    ['Drew Ann', ['D', 'A']],
    ['-- (lee)', ['L']],
    ['ßen', ['ß']],
    ['🦊', ['🦊']],
  ])('of %s has the letters %j', (name, letters) => {
    expect(initialsOf(name)).toEqual(letters);
  });
});
