// The catalogues are complete and well set: the type checker finds missing keys, this finds bad typography.

import { describe, expect, it } from '@jest/globals';
import { LANGUAGES, type Language } from '../../src/web/language.ts';
import { messagesIn } from '../../src/web/messages.ts';

/** Every sentence of a language by its path, those with a gap filled. */
function sentences(language: Language): [string, string][] {
  const walk = (value: unknown, path: string): [string, string][] => {
    if (typeof value === 'string') return [[path, value]];
    if (typeof value === 'function') return [[path, (value as (...gaps: string[]) => string)('Gap', 'Gap')]];
    return Object.entries(value as object).flatMap(([key, inner]) => walk(inner, `${path}.${key}`));
  };
  return walk(messagesIn(language), language);
}

describe('message catalogues', () => {
  it('hold the same keys in every language', () => {
    const keys = LANGUAGES.map((language) => sentences(language).map(([path]) => path.slice(language.length)));
    for (const other of keys) expect(other).toEqual(keys[0]);
  });

  it.each(LANGUAGES.flatMap(sentences))('%s is set well: %s', (path, sentence) => {
    expect(sentence.trim()).toBe(sentence);
    expect(sentence).not.toBe('');
    expect(sentence).not.toContain("'");
    if (path.startsWith('fr.')) expect(sentence).not.toMatch(/[^\u00a0][:;?!»]|«[^\u00a0]/);
  });

  it('call an e-mail address by one name, and nobody by a form of one sex alone', () => {
    for (const [, sentence] of sentences('fr')) {
      expect(sentence).not.toMatch(/courriel|adresse électronique|·e|\b(connecté|redirigé|renvoyé)\b/i);
    }
  });

  it('fill every gap', () => {
    for (const [, sentence] of LANGUAGES.flatMap(sentences)) expect(sentence).not.toMatch(/undefined|\$\{/);
  });
});
