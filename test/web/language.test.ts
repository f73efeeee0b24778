// The language of a page and its texts, and how the choice of another language is kept.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { referenceMessages } from '#directory/reference/page.ts';
import { frenchFaults } from '#support/french-typography.ts';
import { keepLanguage, LANGUAGES, type Language, languageLink, languageOf } from '#web/language.ts';
import { messagesIn } from '#web/messages.ts';

const request = (url: string, headers: Record<string, string> = {}) => ({ url, headers }) as unknown as IncomingMessage;

describe('language of a page', () => {
  it.each([
    ['nothing said: French', request('/'), undefined, 'fr'],
    ['the browser', request('/', { 'accept-language': 'en-GB,en;q=0.9,fr;q=0.5' }), undefined, 'en'],
    ['the browser, by weight', request('/', { 'accept-language': 'en;q=0.4,fr-CA;q=0.8' }), undefined, 'fr'],
    ['the browser, refused language', request('/', { 'accept-language': 'en;q=0,de' }), undefined, 'fr'],
    ['a language we do not speak: French', request('/', { 'accept-language': 'de,it' }), undefined, 'fr'],
    ['ui_locales beats the browser', request('/', { 'accept-language': 'fr' }), 'de en-US fr', 'en'],
    ['ui_locales of the address', request('/authorize?ui_locales=en', { 'accept-language': 'fr' }), undefined, 'en'],
    ['the kept choice beats ui_locales', request('/', { cookie: 'a=b; hygie_language=fr' }), 'en', 'fr'],
    ['the kept choice over https', request('/', { cookie: 'a=b;__Host-hygie_language=fr' }), 'en', 'fr'],
    ['the switch beats all', request('/?lang=en', { cookie: 'hygie_language=fr' }), 'fr', 'en'],
    ['rubbish is passed over', request('/?lang=xx', { cookie: 'hygie_language=%00' }), '../../etc', 'fr'],
  ] as const)('%s', (_name, req, uiLocales, expected) => {
    expect(languageOf(req, uiLocales)).toBe(expected);
  });

  it('switches on the same page, its other parameters kept', () => {
    const link = languageLink(request('/authorize?client_id=a%26b&lang=fr&state=x'))('en');
    expect(Object.fromEntries(new URLSearchParams(link))).toEqual({ client_id: 'a&b', lang: 'en', state: 'x' });
  });

  it('keeps the choice out of reach of scripts, and over https only where there is https', () => {
    const kept = (url: string, secure: boolean) => {
      const cookies: string[] = [];
      const response = { appendHeader: (_name: string, value: string) => cookies.push(value) };
      keepLanguage(request(url), response as unknown as ServerResponse, { base: '', secure });
      return cookies;
    };
    expect(kept('/?lang=en', false)).toEqual(['hygie_language=en; Path=/; Max-Age=1800; HttpOnly; SameSite=Lax']);
    expect(kept('/?lang=en', true)[0]).toMatch(/^__Host-hygie_language=en; Path=\/; .*; Secure$/);
    expect(kept('/', true)).toEqual([]);
    expect(kept('/?lang=xx%0d%0aa: b', true)).toEqual([]);
  });
});

// The catalogues are complete and well set: the type checker finds missing keys, this finds bad typography.
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
