// The routes of the demo: Mirabelle, an imaginary application that speaks to the service over public HTTP only. Nothing here may import
// from the rest of the service, because your application could not do so either.

import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Request, type Response, Router } from 'express';
import { backchannelLogout } from './backchannel-logout.ts';
import { recordingFetch } from './http-trace.ts';
import { browserPage } from './pages/browser-page.ts';
import { problemPage } from './pages/problem-page.ts';
import { type AccountHint, startPage } from './pages/start-page.ts';
import { demoPaths } from './paths.ts';
import { relyingParty } from './relying-party.ts';
import { searchRoutes } from './search.ts';
import { demoSession } from './session.ts';
import { SessionStore } from './session-store.ts';
import { signInRoutes } from './sign-in.ts';
import { pageHeaders, rememberLanguage, viewOf } from './view.ts';

export interface DemoOptions {
  /** Base address of the service, without a trailing slash; the demo is mounted at `{issuer}/demo`. */
  issuer: string;
  /** The client with a secret, registered with `demoPaths.callback`. */
  server: { clientId: string; clientSecret: string };
  /** The public client, registered with `demoPaths.browserCallback`. */
  browser: { clientId: string };
  /** Fictional people, shown to visitors with their passwords. */
  accounts?: AccountHint[];
  /** Called with errors that no page explains. */
  failed(error: unknown): void;
}

const own = fileURLToPath(new URL('.', import.meta.url));

/** Files that browsers load unchanged: the path below `/demo`, and the file. */
const FILES: Record<string, string> = {
  '/styles/frame.css': join(own, 'styles/frame.css'),
  '/styles/content.css': join(own, 'styles/content.css'),
  '/styles/search.css': join(own, 'styles/search.css'),
  '/mirabelle.svg': join(own, 'mirabelle.svg'),
  '/browser/demo.js': join(own, 'browser/demo.js'),
  '/browser/http-trace.js': join(own, 'browser/http-trace.js'),
  '/browser/sign-in.js': join(own, 'browser/sign-in.js'),
  '/browser/resource-cards.js': join(own, 'browser/resource-cards.js'),
  // This file has no imports, so browsers can load it straight from the package.
  '/browser/oauth4webapi.js': createRequire(import.meta.url).resolve('oauth4webapi'),
};

/** The router of the whole demo. It is for development and sandboxes only: it shows passwords and keeps its sessions in memory. */
export function demoRouter(options: DemoOptions): Router {
  const { issuer, server, browser, accounts = [], failed } = options;
  const base = new URL(issuer + demoPaths.base);
  const store = new SessionStore();
  const party = relyingParty({
    issuer,
    ...server,
    callbackUrl: issuer + demoPaths.callback,
    afterSignOutUrl: issuer + demoPaths.start,
    fetch: recordingFetch,
  });
  const router = Router();

  for (const [path, file] of Object.entries(FILES)) {
    router.get(path, (_request, response) => {
      response.set('X-Content-Type-Options', 'nosniff').sendFile(basename(file), { root: dirname(file) });
    });
  }

  router.use(backchannelLogout({ issuer, party, store }));

  // The browser application has no session here, so its page is like a static file.
  router.use(rememberLanguage(base));
  router.get(['/browser', '/browser/callback'], pageHeaders(issuer, { script: true }), (request, response) => {
    response.send(browserPage(viewOf(request, issuer), { issuer, clientId: browser.clientId }));
  });

  router.use(pageHeaders(issuer), demoSession(base, store));
  router.use(signInRoutes({ issuer, party }));
  router.get('/', (request, response) => {
    const { demoSignedOut: signedOut, demoEnding: ending } = request.session;
    delete request.session.demoSignedOut;
    response.send(startPage(viewOf(request, issuer), accounts, signedOut ? 'signedOut' : ending && 'ended'));
  });
  router.use(searchRoutes({ issuer }));
  router.use((request, response) => {
    response.status(404).send(problemPage(viewOf(request, issuer), { kind: 'unknownPage' }));
  });

  router.use((error: unknown, request: Request, response: Response, next: (error: unknown) => void) => {
    const { status = 500 } = (error ?? {}) as { status?: number };
    // Leaves errors of the request itself, such as its body, to the application around the demo.
    if (status >= 400 && status < 500) return next(error);
    failed(error);
    if (response.headersSent) return next(error);
    response.status(500).send(problemPage(viewOf(request, issuer), { kind: 'unexpected' }));
  });
  return router;
}
