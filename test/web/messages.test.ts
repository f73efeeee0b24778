// The catalogues are complete and well set: the type checker finds missing keys, this finds bad typography.

import { describe, expect, it } from '@jest/globals';
import { referenceMessages } from '#directory/reference/page.ts';
import { frenchFaults } from '#support/french-typography.ts';
import { LANGUAGES, type Language } from '#web/language.ts';
import { messagesIn } from '#web/messages.ts';

/** Every sentence of a language by its path, those with a gap filled. */
function sentences(language: Language): [string, string][] {
  const walk = (value: unknown, path: string): [string, string][] => {
    // What a form may say beside a field, and does not beside this one.
    if (value === undefined) return [];
    if (typeof value === 'string') return [[path, value]];
    if (typeof value === 'function') return walk((value as (...gaps: unknown[]) => unknown)(...gapsOf(path)), path);
    return Object.entries(value as object).flatMap(([key, inner]) => walk(inner, `${path}.${key}`));
  };
  return [
    ...walk(messagesIn(language), language),
    ...walk(referenceMessages(language), `${language}.reference`).filter(([, sentence]) => sentence !== ''),
  ];
}

function gapsOf(path: string): unknown[] {
  return path.includes('.resultParameters.meanings.') ? [{ defaultCount: 1, largestCount: 2 }] : ['7', '7', '7'];
}

describe('message catalogues', () => {
  it('hold the same keys in every language', () => {
    const keys = LANGUAGES.map((language) =>
      sentences(language)
        .map(([path]) => path.slice(language.length))
        // The reference says in French alone that the interface speaks English.
        .filter((path) => path !== '.reference.errors.language'),
    );
    for (const other of keys) expect(other).toEqual(keys[0]);
  });

  it.each(LANGUAGES)('are set well (%s)', (language) => {
    const faults = sentences(language).flatMap(([path, sentence]) => {
      const found = language === 'fr' ? frenchFaults(sentence) : englishFaults(sentence);
      if (sentence.trim() !== sentence || sentence === '') found.push('blanks around it, or nothing else');
      if (/\w'\w/.test(sentence.replaceAll(/`[^`]*`/g, 'x'))) found.push('a straight apostrophe');
      return found.map((fault) => `${path}: ${fault}`);
    });
    expect(faults).toEqual([]);
  });

  it.each([
    ['fr', 'Pour accéder à vos outils, ouvrez votre application et connectez-vous.'],
    ['fr', 'Vous ne pouvez pas scanner le code\u00a0?'],
    ['fr', 'J’ai enregistré mes codes'],
    ['fr', 'Par sécurité, les tentatives pour ce compte sont bloquées'],
    ['fr', 'Connexion annulée'],
    ['fr', 'Vous avez refusé l’accès à 7.'],
    ['en', 'This sign-in request is invalid'],
    ['en', 'Unknown application'],
    ['en', 'That code didn’t work'],
    ['en', 'Enter the current code from your app.'],
  ] as const)('15.9 say it as people do (%s): %s', (language, wanted) => {
    expect(sentences(language).filter(([, sentence]) => sentence.startsWith(wanted))).not.toEqual([]);
  });

  it('fill every gap', () => {
    for (const [, sentence] of LANGUAGES.flatMap(sentences)) expect(sentence).not.toMatch(/undefined|\$\{/);
  });

  it.each([
    ['Pourquoi ?', 1],
    ['Pourquoi?', 1],
    ['Pourquoi\u00a0?', 0],
    ['Il dit «oui\u00a0».', 1],
    ['Dans 12 minutes', 1],
    ['Vous êtes connecté à Hygie', 1],
    ['À http://localhost:3000, avec `a: b`', 0],
    ["L'application", 1],
  ])('the guard itself: %s', (sentence, faults) => {
    expect(frenchFaults(sentence)).toHaveLength(faults);
  });
});

/** One name for each thing, as people say it today. */
function englishFaults(sentence: string): string[] {
  const found = /\btelephones?\b|\bemail\b|\blog ?in\b|[\u00a0 ][:;!?]/i.exec(sentence.replaceAll(/`[^`]*`/g, 'x'));
  return found ? [`not our English: ${found[0]}`] : [];
}
