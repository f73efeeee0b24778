// The routes of the demo: Mirabelle, an imaginary application that uses only the public HTTP interface of the service. It must not import
// other parts of the service, because a real application could not do so.

import { fileURLToPath } from 'node:url';
import { type Request, type Response, Router } from 'express';
import { recordingFetch } from './http-trace.ts';
import { STYLES } from './pages/layout.ts';
import { problemPage } from './pages/problem-page.ts';
import { type AccountHint, startPage } from './pages/start-page.ts';
import { demoPaths } from './paths.ts';
import { relyingParty } from './relying-party.ts';
import { searchRoutes } from './search.ts';
import { demoSession, SessionStore } from './session.ts';
import { backchannelLogout, signInRoutes } from './sign-in.ts';
import { pageHeaders, rememberLanguage, viewOf } from './view.ts';

export interface DemoOptions {
  /** Base address of the service, without a final slash. The demo is mounted at `{issuer}/demo`. */
  issuer: string;
  /** Id and secret of the client for which `demoPaths.callback` is registered. */
  server: { clientId: string; clientSecret: string };
  /** Accounts of fictional people. The first page shows them with their passwords. */
  accounts?: AccountHint[];
  /** Called with each unexpected error, for which the demo has no page of its own. */
  failed(error: unknown): void;
}

const root = fileURLToPath(new URL('.', import.meta.url));

/** Files that browsers load unchanged. Their path below `/demo` is the same as in the folder of this file. */
const FILES = [...STYLES.map((name) => `/styles/${name}.css`), '/mirabelle.svg', '/copy.js', '/towns.js'];

/**
 * Makes the router of the whole demo. It must not run in production, except in a sandbox, because it shows passwords and keeps its sessions
 * in memory.
 */
export function demoRouter(options: DemoOptions): Router {
  const { issuer, server, accounts = [], failed } = options;
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

  router.get(FILES, ({ path }, response) => {
    response.set('X-Content-Type-Options', 'nosniff').sendFile(path, { root });
  });

  router.use(backchannelLogout({ issuer, party, store }));

  router.use(rememberLanguage(base), pageHeaders(issuer), demoSession(base, store));
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
    // Errors of the request itself, such as an invalid body, are left to the application in which this router is mounted.
    if (status >= 400 && status < 500) return next(error);
    failed(error);
    if (response.headersSent) return next(error);
    response.status(500).send(problemPage(viewOf(request, issuer), { kind: 'unexpected' }));
  });
  return router;
}
