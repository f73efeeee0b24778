// The routes of the login sequence with its six steps (specification section 1), of the sign-out, and of the logout tokens by which the
// service ends sessions here (OpenID Connect Back-Channel Logout 1.0).

import express, { type Request, type Response, Router } from 'express';
import { AuthorizationResponseError, ClientError, ResponseBodyError } from 'openid-client';
import { type Exchange, jsonText, requestText, shown, trace } from './http-trace.ts';
import { InvalidLogoutToken } from './logout-token.ts';
import { type Problem, problemPage } from './pages/problem-page.ts';
import { demoPaths } from './paths.ts';
import { MissingSecondFactor, type RelyingParty, userInfoClaim } from './relying-party.ts';
import { renewSession, type SessionStore, sessionCookie } from './session.ts';
import { viewOf } from './view.ts';

const UNREACHABLE: readonly Problem['kind'][] = ['unavailable', 'certificate'];

/** Answers `POST /sign-in`, `GET /callback` and `POST /sign-out`, and receives the browser after a sign-out. */
export function signInRoutes({ issuer, party }: { issuer: string; party: RelyingParty }): Router {
  /** The uuids of the people who have signed in before. */
  const known = new Set<string>();

  function refuse(request: Request, response: Response, status: number, problem: Problem): void {
    response.status(status).send(problemPage(viewOf(request, issuer), problem));
  }

  // Step 1: the client redirects the user's browser to the authorization endpoint.
  async function begin(request: Request, response: Response): Promise<void> {
    const view = viewOf(request, issuer);
    const underway = await party.begin(view.language, request.query['secondFactor'] !== undefined);
    request.session.demoSignIn = { ...underway, returnTo: ownPage(request.query['returnTo']) };
    response.redirect(303, underway.authorizationUrl);
  }

  // Step 2: the service redirects the browser back to `redirect_uri` with `code` and `state`.
  async function callback(request: Request, response: Response): Promise<void> {
    const answer = new URL(issuer + demoPaths.base + request.url);
    const underway = request.session.demoSignIn;

    // Step 3: the client verifies `state`. It must not use the response to another sign-in.
    const state = answer.searchParams.get('state');
    if (!underway || state !== underway.state) return refuse(request, response, 400, { kind: 'state' });
    delete request.session.demoSignIn;

    // Steps 4 and 5: the client exchanges `code` at the token endpoint, and reads the user's claims.
    const { result: signedIn, exchanges } = await trace(() => party.finish(answer, underway));

    // Step 6: the client starts its own session. A real application would register an unknown person here.
    const { uuid } = userInfoClaim(signedIn.claims);
    const returning = known.has(uuid);
    known.add(uuid);
    await renewSession(request);
    const steps = [
      [requestText('GET', new URL(underway.authorizationUrl))],
      [requestText('GET', answer)],
      [`session   state=${shown('state', underway.state)}\ncallback  state=${shown('state', state)}`],
      messagesOf(exchanges, '/token'),
      [`ID token, header ${jsonText(headerOf(signedIn.idToken))}`, ...messagesOf(exchanges, '/userinfo')],
      [`Set-Cookie: ${sessionCookie}=…; Path=${demoPaths.base}; HttpOnly; SameSite=Lax`],
    ];
    request.session.demoPerson = { ...signedIn, steps, returning };
    response.redirect(303, viewOf(request, issuer).to(underway.returnTo ?? 'steps'));
  }

  // Ends the session of the application first. Then the browser goes to the service, which ends its own session and sends the browser back.
  async function signOut(request: Request, response: Response): Promise<void> {
    const idToken = request.session.demoPerson?.idToken;
    await renewSession(request);
    if (!idToken) return response.redirect(303, issuer + demoPaths.start);
    const { url, state } = await party.signOut(idToken);
    request.session.demoSignOut = state;
    response.redirect(303, url);
  }

  // If the service sends the browser back with the expected `state`, the session at the service has ended too. The redirect removes `state`
  // from the address, so that the message about the sign-out appears only once.
  function signedOut(request: Request, response: Response, next: () => void): void {
    const { state } = request.query;
    if (state === undefined || state !== request.session.demoSignOut) {
      next();
      return;
    }
    delete request.session.demoSignOut;
    request.session.demoSignedOut = true;
    response.redirect(303, issuer + demoPaths.start);
  }

  const router = Router();
  router.post('/sign-in', begin);
  router.get('/callback', callback);
  router.post('/sign-out', signOut);
  router.get('/', signedOut);
  // Shows a page if the service has refused a request or does not respond, or if openid-client has rejected a response.
  router.use((error: unknown, request: Request, response: Response, next: (error: unknown) => void) => {
    const problem = problemOf(error);
    if (!problem) return next(error);
    refuse(request, response, statusOf(problem), problem);
  });
  return router;
}

function statusOf({ kind }: Problem): number {
  if (kind === 'cancelled') return 200;
  return UNREACHABLE.includes(kind) ? 503 : 400;
}

function problemOf(error: unknown): Problem | undefined {
  if (error instanceof AuthorizationResponseError || error instanceof ResponseBodyError) {
    const refused = error.error === 'access_denied' ? 'cancelled' : 'refused';
    const kind = error instanceof AuthorizationResponseError ? refused : 'exchange';
    return { kind, detail: [error.error, error.error_description].filter(Boolean).join(': ') };
  }
  if (error instanceof MissingSecondFactor) return { kind: 'secondFactor' };
  const failure = failedFetch(error);
  if (failure) return unreachable(failure.cause);
  if (error instanceof ClientError) return { kind: 'exchange', detail: error.message };
  return undefined;
}

/**
 * Returns the error that Node's `fetch` throws if there is no response. openid-client may have wrapped it. Returns undefined for any other
 * error.
 */
function failedFetch(error: unknown): { cause?: unknown } | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const { message, cause } = error as Partial<Error>;
  return message === 'fetch failed' ? error : failedFetch(cause);
}

/**
 * Describes why the service did not respond. A certificate that Node does not trust is a problem of its own, because waiting does not solve
 * it.
 */
function unreachable(cause: unknown): Problem {
  const { code, message } = (cause ?? {}) as { code?: unknown; message?: string };
  if (typeof code !== 'string') return { kind: 'unavailable' };
  const detail = [code, message].filter(Boolean).join(': ');
  return { kind: /CERT|LEAF_SIGNATURE/.test(code) ? 'certificate' : 'unavailable', detail };
}

/**
 * Returns the page of the demo that opens after the sign-in. Returns undefined for a value that is no such page, so that no value can send
 * the browser to another host.
 */
function ownPage(value: unknown): string | undefined {
  return typeof value === 'string' && /^(practitioners|organizations)(\/[\w.-]+)?(\?|$)/.test(value)
    ? value
    : undefined;
}

function messagesOf(exchanges: Exchange[], ending: string): string[] {
  return exchanges.filter(({ path }) => path.endsWith(ending)).map(({ text }) => text);
}

function headerOf(token: string): unknown {
  return JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString());
}

/** Answers `POST /backchannel-logout`: 200 if the token is valid, 400 if it is invalid, and 503 if the public keys cannot be read. */
export function backchannelLogout(options: { issuer: string; party: RelyingParty; store: SessionStore }): Router {
  const { issuer, party, store } = options;

  async function take(request: Request, response: Response): Promise<void> {
    response.set('Cache-Control', 'no-store');
    const token: unknown = request.body?.logout_token;
    try {
      if (typeof token !== 'string') throw new InvalidLogoutToken('there is no logout_token');
      const { header, claims } = await party.verifyLogoutToken(token);
      store.endSignIns({ header, claims, request: requestShown(issuer, token), at: Date.now() });
      response.end();
    } catch (error) {
      if (error instanceof InvalidLogoutToken)
        response.status(400).json({ error: 'invalid_request', error_description: error.message });
      else response.status(503).json({ error: 'temporarily_unavailable' });
    }
  }

  const path = demoPaths.backchannelLogout.slice(demoPaths.base.length);
  return Router().post(path, express.urlencoded({ extended: false, limit: '16kb', parameterLimit: 20 }), take);
}

/** Formats the request with the logout token for the page. The signature is shortened, so that nobody can use the token. */
function requestShown(issuer: string, token: string): string {
  const [header = '', claims = '', signature = ''] = token.split('.');
  return [
    `POST ${issuer}${demoPaths.backchannelLogout}`,
    'Content-Type: application/x-www-form-urlencoded',
    '',
    `logout_token=${header}.${claims}.${signature.slice(0, 8)}…`,
    '',
    'HTTP 200',
  ].join('\n');
}
