// What should become of tokens: a model so simple that it can be read, against which the service is held.
// Times are seconds of the test's own clock. Sources: RFC 6749 section 6, RFC 7009, RFC 9700 section 4.14.2, OpenID Connect
// Core section 11, specification sections 3 and 5.

/** Lifetimes that the service is started with. */
export const TIMES = { code: 60, access: 600, refreshIdle: 1800, refresh: 2500, grace: 10 };

/** What one client holds of one sign-in session: it ends as a whole. */
export interface Grant {
  client: number;
  browser: number;
  /** False once it was taken back, with all tokens that hang on it. */
  alive: boolean;
}

export interface Session {
  browser: number;
  alive: boolean;
  /** The grant of each client, and whether its access was asked for beyond the session. */
  grants: Map<number, { grant: Grant; offline: boolean }>;
}

export interface AccessToken {
  value: string;
  grant: Grant;
  /** Set for tokens that end with the session. */
  session?: Session;
  expires: number;
  alive: boolean;
}

export interface RefreshToken {
  value: string;
  grant: Grant;
  /** When the first of its family was given. */
  first: number;
  expires: number;
  alive: boolean;
  spent?: { at: number; successor: RefreshToken };
}

export interface Code {
  value: string;
  grant: Grant;
  expires: number;
  alive: boolean;
}

export interface Model {
  now: number;
  /** The session of each browser; a signed-out browser has none. */
  sessions: (Session | undefined)[];
  /** Whether the account of each browser's person may be used. */
  enabled: boolean[];
  access: AccessToken[];
  refresh: RefreshToken[];
  codes: Code[];
}

export function newModel(now: number): Model {
  return { now, sessions: [undefined, undefined], enabled: [true, true], access: [], refresh: [], codes: [] };
}

/** Whether an access token may be used now. */
export function isUsable({ now, enabled }: Model, { alive, expires, grant, session }: AccessToken): boolean {
  return alive && now < expires && grant.alive && session?.alive !== false && enabled[grant.browser] === true;
}

/** Ends the tokens that hang on a grant, but leaves the consent. */
export function takeBackTokens(model: Model, grant: Grant): void {
  for (const token of [...model.access, ...model.refresh, ...model.codes])
    if (token.grant === grant) token.alive = false;
}

export function endGrant(model: Model, grant: Grant): void {
  takeBackTokens(model, grant);
  grant.alive = false;
}

export type RefreshOutcome =
  /** `from` is the token that is spent by it. */
  | { kind: 'rotates'; from: RefreshToken }
  /** The same successor, or its newest descendant, is given again. */
  | { kind: 'repeats'; successor: RefreshToken }
  /** Refused; with `stolen`, all that the grant gave ends. */
  | { kind: 'refused'; stolen: boolean };

/** What a refresh with this token, by this client, must lead to. */
export function outcomeOfRefresh(model: Model, token: RefreshToken, client: number): RefreshOutcome {
  const { grant, spent } = token;
  if (!token.alive || !grant.alive || model.now >= token.expires) return { kind: 'refused', stolen: false };
  if (grant.client !== client) return { kind: 'refused', stolen: spent !== undefined };
  if (!spent) return { kind: 'rotates', from: token };
  if (model.now - spent.at >= TIMES.grace) return { kind: 'refused', stolen: true };
  let newest = spent.successor;
  while (newest.spent) newest = newest.spent.successor;
  return { kind: 'repeats', successor: newest };
}
