// Text stays readable whatever accent colour an operator chooses (WCAG 2.2, 1.4.3).

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { accentProperties, contrast, markColour, parse } from '#web/accent-colour.ts';
import '#support/seed.ts';

const colours = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`);

describe('colours from the accent', () => {
  it('keep a contrast of 4.5 in both schemes', () => {
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

  it('leave a dark accent as it was chosen', () => {
    expect(accentProperties('#0b5f6b').light['--accent']).toBe('#0b5f6b');
  });

  it('refuse what is no colour, with the remedy', () => {
    expect(() => parse('teal')).toThrow('write # and six hexadecimal digits');
  });
});
