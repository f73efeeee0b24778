// Serves the reference of the directory: a page for people, and an OpenAPI description for programs.

import { Router } from 'express';
import type { Html } from '#web/html.ts';
import { keepPublicPage, pageHeaders } from '#web/http/page-headers.ts';
import { keepLanguage, type Language, languageLink, languageOf } from '#web/language.ts';
import type { Freshness, ReferenceDirectory } from './descriptions.ts';
import { REFERENCE_SCRIPTS, referenceChapters, renderReferencePage } from './page.ts';
import { type TryOptions, tryRouter } from './try/router.ts';

interface ReferenceOptions extends Omit<TryOptions, 'docs'> {
  /** Gives the OpenAPI description as JSON text. */
  openapi(): Promise<string>;
  freshness(): Promise<Freshness | undefined>;
  /** Address of the demo application; undefined if it does not run. */
  demo?: string;
}

/** Paths below the address of the issuer. */
export const REFERENCE = { docs: '/directory/docs', openapi: '/directory/openapi.json' } as const;

/** Makes the router of the public pages. Mount it at the path of the issuer. */
export function referenceRouter(options: ReferenceOptions): Router {
  const { site, directory, openapi, freshness, demo } = options;
  // The page is written once for each edition and language and then kept, because anybody may request it any number of times.
  const written = new WeakMap<ReferenceDirectory, Map<Language, Html>>();
  const chaptersOf = (described: ReferenceDirectory, language: Language): Html => {
    const ofEdition = written.get(described) ?? new Map<Language, Html>();
    written.set(described, ofEdition);
    const place = { person: options.person, ...(demo !== undefined && { demo }) };
    const chapters = ofEdition.get(language) ?? referenceChapters(described, language, place);
    ofEdition.set(language, chapters);
    return chapters;
  };
  const router = Router();
  router.use(tryRouter({ ...options, docs: site.base + REFERENCE.docs }));
  router.get(REFERENCE.openapi, async (_req, res) => {
    // Tools that run in browsers may load the description from any origin, because nothing in it is secret.
    res.set({ 'access-control-allow-origin': '*', 'cache-control': 'public, max-age=300' });
    res.type('application/json').send(await openapi());
  });
  // People type the base address to find the reference, so it redirects there.
  router.get('/directory', (_req, res) => res.redirect(site.base + REFERENCE.docs));
  router.get(REFERENCE.docs, async (req, res) => {
    pageHeaders(res, { scripts: REFERENCE_SCRIPTS });
    keepLanguage(req, res, site);
    keepPublicPage(res);
    const described = await directory();
    const language = languageOf(req);
    const page = renderReferencePage({
      site,
      directory: described,
      chapters: chaptersOf(described, language),
      language,
      languageLink: languageLink(req),
      freshness: await freshness(),
      openapi: site.base + REFERENCE.openapi,
    });
    res.type('html').send(page);
  });
  return router;
}
