// Owns the shape of the effective settings: configuration files and environment, checked and frozen.
// Does not own how they are read (`src/config/`).

/** Everything the service was told by its operator. Built once, never changed; clients may be reloaded. */
import type { LogSettings } from '../shared/log/log.ts';

export interface Settings {
  mode: 'development' | 'production';
  /** Public base address, {auth_url}, without a trailing slash. */
  issuer: string;
  listen: { host: string; port: number };
  /** Absolute paths. */
  configFolder: string;
  dataFolder: string;
  database: { engine: 'sqlite'; file: string } | { engine: 'postgresql'; url: string };
  processes: number;
  /** {claim_ns}, without a trailing slash. */
  namespace: string;
  /** Number of reverse proxies in front whose X-Forwarded-* headers are believed; 0 for none. */
  proxies: number;
  directory: {
    /** Absolute public base, {directory_url}, without a trailing slash. */
    url: string;
    guards: {
      /** Share of unusable lines (0-1) above which an import is refused. */
      unusableLines: number;
      /** Share (0-1) by which the lines of one register may shrink against the snapshot before. */
      registers: number;
      /** Share (0-1) of a resource type by which it may shrink, and that may be removed, against the snapshot before. */
      shrinkage: number;
      /** Least number of resources by type. */
      minimum: { Practitioner: number; Organization: number };
    };
    /** Old snapshots kept beside the current one. */
    keep: number;
    /** Of one client, unless it has its own. */
    rate: Rate;
    /** Files of exports that one client may download at a time from one process; 0 switches exports off. */
    downloads: number;
    /** Folder (absolute) whose new editions the service loads by itself. */
    watch?: string;
    /** Seconds without any change in that folder after which its files count as complete. */
    settle: number;
  };
  /** Seconds. */
  lifetimes: {
    authorizationCode: number;
    accessToken: number;
    idToken: number;
    interaction: number;
    /** Absolute limit of a sign-in session. */
    session: number;
    /** Idle limit of a sign-in session. */
    sessionIdle: number;
    grant: number;
    /** Absolute limit of a refresh token and all its successors. */
    refreshToken: number;
    /** Idle limit: a refresh token that is not used for this long. */
    refreshTokenIdle: number;
    /** Time in which a refresh may be repeated; 0 for none. */
    refreshTokenGrace: number;
  };
  claims: { updatedAt: 'iso8601' | 'epoch' };
  /** Of everybody who signs in; an application, or a request of one, may demand more. */
  secondFactor: 'optional' | 'required';
  keys: {
    /** Seconds after which keys are replaced by new ones; 0: by command only. */
    rotateAfter: number;
    /** Seconds that relying parties may keep the key set: a new key is published that long before it signs. */
    cachedFor: number;
    /** What keys are encrypted with in the database: the first encrypts, all open. None: plain text. */
    secrets: readonly string[];
  };
  audit: {
    /** Seconds that records are kept. */
    keep: number;
  };
  outgoing: {
    /** Networks (CIDR) of private addresses that clients' own addresses may lie in. */
    privateNetworks: readonly string[];
  };
  branding: { name: string; colour: string; supportUrl?: string; privacyUrl?: string };
  limits: {
    /** Failed sign-ins of one account, or of one address, before further ones wait. */
    accountFailures: number;
    addressFailures: number;
    /** Seconds over which failures are counted. */
    failureWindow: number;
  };
  log: LogSettings;
  /** Fictional people, directory and the demo relying party; never in production. */
  demo: boolean;
}

/** Requests to the directory, for the whole instance: its worker processes share it out. */
export interface Rate {
  /** In the long run; 0 for no limit. */
  perSecond: number;
  /** At once. */
  burst: number;
}

/** One entry of `clients.yaml`. */
export interface ClientSettings {
  id: string;
  /** {claim_ns}/applicationName and the consent page. */
  name: string;
  /** An `api` only asks whether access tokens of the others hold. */
  type: 'server' | 'browser' | 'native' | 'api';
  /** Hashes in the form of `src/shared/crypto/secret-hash.ts`; references to environment and files are already resolved and hashed. */
  secretHashes: readonly string[];
  /** Public keys (RFC 7517) with which the client proves who it is, instead of a secret (private_key_jwt). */
  jwks?: { keys: readonly Readonly<Record<string, unknown>>[] };
  /** Address of such keys. */
  jwksUrl?: string;
  callbackUrls: readonly string[];
  logoutUrls: readonly string[];
  backchannelLogoutUrl?: string;
  /** What it may ask for; of an api: what it serves. */
  scopes: readonly string[];
  /** Whether its authorization requests must be pushed (RFC 9126), and its tokens bound to a key (RFC 9449). */
  par?: 'optional' | 'required';
  dpop?: 'optional' | 'required';
  consent: 'ask' | 'trusted';
  /** Nobody comes to it with a password alone. Not there: as the service has it. */
  secondFactor?: 'required';
  /** JWS algorithm of its ID and logout tokens; RS256 unless given. */
  idTokenAlgorithm?: 'RS256' | 'ES256' | 'EdDSA';
  /** Whether the client may also act on its own (client credentials), without a person. */
  serviceAccount: boolean;
  /** Instead of the service's. */
  rate?: Rate;
}
