// Serves the page to try the directory, and its scripts. Its headers allow the page to run only these scripts, and to send requests only to
// the directory and to the sign-in.

import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { Router } from 'express';
import { TRY_CALLBACK, TRY_PATH, tryClient } from '#config/built-in-clients.ts';
import type { ClientSettings } from '#config/settings.ts';
import type { ReferenceDirectory } from '#directory/reference/descriptions.ts';
import { pageHeaders } from '#web/http/page-headers.ts';
import { keepLanguage, languageLinkTo, languageOf } from '#web/language.ts';
import type { Site } from '#web/site.ts';
import { renderTryPage, type TryPage } from './page.ts';

export interface TryOptions extends Pick<TryPage, 'person'> {
  site: Site;
  issuer: string;
  directory(): Promise<ReferenceDirectory>;
  /** The OAuth client that is registered for the page; undefined if there is none. */
  client(): ClientSettings | undefined;
  /** Path of the reference page. */
  docs: string;
}

const SCRIPTS = join(import.meta.dirname, '../browser');
/** Files that browsers load unchanged. The keys are their paths below the path of the page. */
const FILES: Record<string, string> = {
  ...Object.fromEntries(['try', 'sign-in', 'answer', 'snippets'].map((name) => [name, join(SCRIPTS, `${name}.js`)])),
  // This file of the package has no imports, so browsers can load it directly.
  oauth4webapi: createRequire(import.meta.url).resolve('oauth4webapi'),
};

/** Makes the router of the page. Mount it at the path of the issuer. */
export function tryRouter({ site, issuer, directory, client, docs, person }: TryOptions): Router {
  const router = Router();
  for (const [name, file] of Object.entries(FILES)) {
    router.get(`${TRY_PATH}/${name}.js`, (_req, res) => res.sendFile(basename(file), { root: dirname(file) }));
  }
  router.get([TRY_PATH, TRY_CALLBACK], async (req, res) => {
    const described = await directory();
    pageHeaders(res, {
      modulesBelow: `${issuer}${TRY_PATH}/`,
      connectsTo: [
        `${described.base}/`,
        `${issuer}/.well-known/openid-configuration`,
        described.tokenUrl,
        `${issuer}/.well-known/jwks.json`,
      ],
    });
    // With this header, a page that opened the try page in a window cannot control that window.
    res.set('cross-origin-opener-policy', 'same-origin');
    keepLanguage(req, res, site);
    const registered = client();
    const page = site.base + TRY_PATH;
    const html = renderTryPage({
      site,
      directory: described,
      docs,
      person,
      page,
      language: languageOf(req),
      // The link to the other language omits the query of this request, because the query may contain an authorization code of the sign-in.
      languageLink: languageLinkTo(page),
      client: registered && {
        issuer,
        clientId: registered.id,
        callback: issuer + TRY_CALLBACK,
        afterSignOut: issuer + TRY_PATH,
        scope: tryClient({ issuer })
          .scopes.filter((scope) => registered.scopes.includes(scope))
          .join(' '),
      },
      entries: entriesOf(tryClient({ issuer })),
    });
    res.type('html').send(html);
  });
  return router;
}

/** Lines of configuration that register the client. The key is the name of the file in which the operator writes them. */
function entriesOf({ name, type, callbackUrls, logoutUrls, scopes, consent }: ClientSettings): Record<string, string> {
  const list = (values: readonly string[]) => `[${values.join(', ')}]`;
  return {
    'clients.yaml': `  - id: try-directory
    name: ${name}
    type: ${type}
    callbackUrls: ${list(callbackUrls)}
    logoutUrls: ${list(logoutUrls)}
    scopes: ${list(scopes)}
    consent: ${consent}`,
    'service.yaml': 'directory:\n  tryClient: try-directory',
  };
}
