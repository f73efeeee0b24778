// Owns the short way of an introspection: a client shows a secret that was verified before, and asks about an access token that
// holds. Resource servers ask just that at each request of their own, and the library's whole way costs several times as much.
// Does not own whether a token holds (`introspection.ts`) nor who may know of it (`introspection-policy.ts`).

import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage, RequestListener } from 'node:http';
import { parse } from 'node:querystring';
import { knownClientSecret } from '../../shared/crypto/secret-hash.ts';
import type { OidcRecords } from '../../store/oidc/oidc-records.ts';
import type { ClientRegistry } from '../clients/client-registry.ts';
import type { ClientThrottle } from '../clients/secret-throttle.ts';
import { ROUTES } from '../routes.ts';
import { accessTokenState } from './introspection.ts';
import { scopesTold } from './introspection-policy.ts';
import { areUsual, isUsualToken, sendShortly } from './short-way.ts';

export interface ShortIntrospection {
  settings: { issuer: string };
  clients: ClientRegistry;
  records: Pick<OidcRecords, 'findTokenContext'>;
  throttle: ClientThrottle;
  /** Network address that a request came from. */
  addressOf(req: IncomingMessage): string;
}

/** As `library`, which answers all that cannot go the short way. */
export function introspectShortly(options: ShortIntrospection, library: RequestListener): RequestListener {
  return (req, res) => {
    if (!isPlain(req)) return library(req, res);
    const answer = () => {
      const asked = questionOf(req.headers.authorization, peek(req));
      const answering = asked && isProved(options, asked, req) ? answerTo(options, asked) : undefined;
      if (!answering) return library(req, res);
      answering.then(
        (told) => (told ? sendShortly(res, told) : library(req, res)),
        // It meets the same fault, and says so.
        () => library(req, res),
      );
    };
    // The form comes to the connection, which knows nothing of the request that the log names.
    req.once('readable', AsyncLocalStorage.bind(answer));
  };
}

/** Longest form that is looked at, in bytes: token, client and secret are far shorter. */
const LONGEST = 2048;

function isPlain({ method, url, headers }: IncomingMessage): boolean {
  if (method !== 'POST' || url !== ROUTES.introspection) return false;
  if (headers['content-type'] !== 'application/x-www-form-urlencoded') return false;
  const length = Number(headers['content-length'] ?? 0);
  return length > 0 && length <= LONGEST && areUsual(headers);
}

/** The form as it lies in the buffer, where it stays; undefined unless all of it has come. */
function peek(req: IncomingMessage): string | undefined {
  const read = req.read() as Buffer | null;
  if (read === null) return undefined;
  req.unshift(read);
  return read.length === Number(req.headers['content-length']) ? read.toString() : undefined;
}

interface Question {
  token: string;
  id: string;
  secret: string;
}

const KNOWN_FIELDS = new Set(['token', 'token_type_hint', 'client_id', 'client_secret']);

/** Undefined for what a client need not send, or sends in an odd way. */
function questionOf(authorization: string | undefined, text: string | undefined): Question | undefined {
  const form = parse(text ?? '');
  for (const name in form)
    if (!KNOWN_FIELDS.has(name) || typeof form[name] !== 'string' || !form[name]) return undefined;
  const { token, client_id, client_secret } = form as Record<string, string | undefined>;
  if (token === undefined) return undefined;
  if (authorization === undefined) {
    return client_id === undefined || client_secret === undefined
      ? undefined
      : { token, id: client_id, secret: client_secret };
  }
  const shown = client_secret === undefined ? basic(authorization) : undefined;
  return shown && (client_id === undefined || client_id === shown.id) ? { token, ...shown } : undefined;
}

/** RFC 6749 appendix A: what both may consist of. */
const PRINTABLE = /^[\x20-\x7e]+$/;

/** RFC 6749 section 2.3.1: both parts are encoded as in a form. */
function basic(authorization: string): { id: string; secret: string } | undefined {
  const encoded = /^Basic ([A-Za-z0-9+/]+={0,2})$/.exec(authorization)?.[1];
  if (encoded === undefined || encoded.length % 4 !== 0) return undefined;
  const [, id, secret] = /^([^:]+):([^:]+)$/.exec(Buffer.from(encoded, 'base64').toString()) ?? [];
  if (id === undefined || secret === undefined) return undefined;
  try {
    const [plainId = '', plainSecret = ''] = [id, secret].map((part) => decodeURIComponent(part.replaceAll('+', ' ')));
    return PRINTABLE.test(plainId + plainSecret) ? { id: plainId, secret: plainSecret } : undefined;
  } catch {
    return undefined;
  }
}

function isProved(
  { clients, throttle, addressOf }: ShortIntrospection,
  { id, secret }: Question,
  req: IncomingMessage,
) {
  if (clients.metadata(id)?.token_endpoint_auth_method !== 'client_secret_basic') return false;
  return knownClientSecret(secret, clients.find(id)?.secretHashes ?? []) && throttle.wait(id, addressOf(req)) === 0;
}

/** Undefined for anything but an access token that holds, and that the client may know of. */
async function answerTo(options: ShortIntrospection, { token, id }: Question): Promise<object | undefined> {
  const context = await options.records.findTokenContext(token);
  if (!context || !isUsualToken(context)) return undefined;
  const { accountId, clientId, exp, iat, scope } = context.token as Partial<Record<string, string>>;
  const told = scopesTold(options.clients, id, { kind: context.model, clientId, scope });
  if (!told || !accessTokenState(context, options.clients).active) return undefined;
  return {
    active: true,
    sub: accountId,
    client_id: clientId,
    exp,
    iat,
    iss: options.settings.issuer,
    scope: told.join(' ') || undefined,
    token_type: 'Bearer',
  };
}
