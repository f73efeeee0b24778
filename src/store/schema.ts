// The current tables on one page; those of the directory are in `schema-directory.ts`. The first migration creates them, and `rows.ts` has
// the types of query results. Times are seconds since the epoch. A text column holds JSON if its comment says so.

import { DIRECTORY_TABLES } from './schema-directory.ts';
import {
  bigIncrements,
  bigInteger,
  boolean,
  byDefault,
  indexed,
  integer,
  nullable,
  ofAccount,
  primary,
  string,
  type Table,
  text,
  time,
  unique,
} from './table-definition.ts';

export const SCHEMA = {
  /** The people who can sign in. */
  accounts: {
    columns: {
      id: primary(string(36)),
      // Null for a person without an address, who signs in by another provider.
      email: nullable(string(254)),
      // The address in lower case, as addresses are compared. An address belongs to one account.
      email_key: nullable(unique(string(254))),
      email_verified: boolean(),
      name: string(200),
      given: nullable(text()),
      family: nullable(text()),
      nickname: nullable(string(200)),
      // An address that an operator gave.
      picture: nullable(text()),
      profile: nullable(text()),
      // `fr` or `en`; null means the language of the browser.
      language: nullable(string(2)),
      // JSON: ids of the directory.
      practitioners: text(),
      workspaces: text(),
      current_workspace: nullable(string(64)),
      // JSON by record: the identity of the record when it was linked, and the changes that editions made to the link since then.
      linked_as: nullable(text()),
      link_changes: nullable(text()),
      status: string(16),
      password_hash: nullable(text()),
      password_set_at: nullable(time()),
      // The person has to choose another password at the next sign-in.
      password_change_required: byDefault(boolean(), false),
      // Sign-ins before this second are invalid, except in the session with this public identifier (`isSignInValid`).
      sessions_not_before: nullable(time()),
      kept_session: nullable(string(64)),
      deletion_requested_at: nullable(time()),
      created_at: time(),
      updated_at: time(),
    },
  },
  /** The ids of deleted accounts. Applications still know them, so nobody else ever gets one. */
  deleted_accounts: { columns: { id: primary(string(36)), deleted_at: time() } },
  /** Authenticator apps. The secret is encrypted if the service has a key secret. It cannot be hashed, since codes are computed from it. */
  second_factors: {
    columns: {
      account_id: primary(ofAccount()),
      secret: text(),
      // The step of the last accepted code (RFC 6238). That code and earlier ones are invalid.
      last_step: bigInteger(),
      created_at: time(),
    },
  },
  recovery_codes: {
    columns: { account_id: ofAccount(), digest: string(43) },
    primary: ['account_id', 'digest'],
  },
  /** WebAuthn credentials, several for an account. */
  passkeys: {
    columns: {
      id: primary(string(36)),
      account_id: indexed(ofAccount()),
      // Base64url of up to 1,023 bytes.
      credential_id: unique(string(1364)),
      // Random, and the same for all passkeys of an account. It is all that an authenticator knows of the person.
      user_handle: string(86),
      // COSE, base64url.
      public_key: text(),
      counter: bigInteger(),
      // JSON.
      transports: text(),
      synced: boolean(),
      aaguid: string(36),
      name: string(100),
      created_at: time(),
      last_used_at: nullable(time()),
    },
  },
  /** Links in mails: one for each account and purpose, until it is followed or expires. */
  action_tokens: {
    columns: {
      account_id: ofAccount(),
      purpose: string(30),
      // Only the mail has the token itself (SEC-16).
      digest: unique(string(43)),
      // The address of the mail, if the link proves that the person reads it.
      email: nullable(string(254)),
      // A mark of the account's state. After a change the link is invalid.
      state: string(43),
      expires_at: indexed(time()),
    },
    primary: ['account_id', 'purpose'],
  },
  /** Families of browser and system with which an account was signed in. `seen_at` is exact to a day. */
  seen_devices: {
    columns: { account_id: ofAccount(), device: string(64), seen_at: time() },
    primary: ['account_id', 'device'],
  },
  /** The key of the addresses of pictures, in row 1. */
  picture_key: { columns: { id: primary(integer()), secret: string(43) } },

  /** Codes, tokens, grants, sessions and interactions of the OpenID provider. */
  oidc_records: {
    columns: {
      model: string(32),
      // SHA-256 of the token, code or id. The value itself is never stored.
      id: string(43),
      // JSON.
      payload: text(),
      // The id of the grant's own row.
      grant_id: nullable(indexed(string(43))),
      // The public identifier of a session, or of the session in which a code or token was issued.
      uid: nullable(string(64)),
      account_id: nullable(string(36)),
      expires_at: nullable(indexed(time())),
      consumed_at: nullable(time()),
      // Successor of a used refresh token, sealed by that token. It is kept during the grace window.
      successor: nullable(text()),
    },
    primary: ['model', 'id'],
    // Partial, because each index costs every code and token a write.
    indexes: [
      { columns: ['account_id'], name: 'oidc_records_account', where: "model in ('Grant', 'Session')" },
      { columns: ['uid'], name: 'oidc_records_session_uid', where: "model = 'Session'" },
      { columns: ['consumed_at'], name: 'oidc_records_successor', where: 'successor is not null' },
    ],
  },
  /** The scopes that a person has allowed a client. */
  consents: {
    columns: { account_id: ofAccount(), client_id: string(128), scopes: text(), given_at: time() },
    primary: ['account_id', 'client_id'],
  },
  /** Sessions of our own pages, by the digest of their id. */
  page_sessions: { columns: { id: primary(string(43)), payload: text(), expires_at: indexed(time()) } },
  /** Signing keys by JWS algorithm, and keys of cookies. Instances that add a key lock the row `lock`, so that only one of them does. */
  service_keys: {
    columns: {
      id: primary(string(64)),
      purpose: string(16),
      // The key. It is encrypted if the service has a secret.
      material: text(),
      created_at: time(),
      // The second from which the key is used. Before that, it is only published.
      active_at: byDefault(time(), 0),
    },
  },
  /** Outbox of back-channel logout. A row stays until the client was told. */
  logout_deliveries: {
    columns: {
      id: bigIncrements(),
      client_id: string(128),
      account_id: string(36),
      // The client's id for the ended session; not a secret.
      sid: string(64),
      created_at: time(),
      // From this second on, any instance may take the row. The instance that takes it postpones it, so that another one can take it if
      // this one dies.
      due_at: indexed(time()),
      attempts: integer(),
    },
  },
  /** Outbox of mails. A row stays for a day after its mail was sent, so that nobody is sent too many. */
  mail_queue: {
    columns: {
      id: bigIncrements(),
      kind: string(32),
      // The event that a notice is about. Empty for other kinds.
      topic: string(64),
      // Empty for a mail to the operator, and for the request of a stranger.
      account_id: string(36),
      // Null means the address that the account has when the mail is sent. The address is removed once the mail was sent.
      address: nullable(string(320)),
      language: nullable(string(2)),
      // JSON without secrets: the token of a link is made when the mail is sent.
      details: nullable(text()),
      created_at: time(),
      // The second as in `logout_deliveries`. Null once the mail was sent or given up.
      due_at: nullable(indexed(time())),
      attempts: integer(),
    },
    indexes: [{ columns: ['account_id', 'kind', 'topic', 'created_at'] }],
  },

  /** Counts of rate-limiter-flexible. `key` is the name of the rule and a digest; `expire` is in milliseconds. */
  rate_limits: { columns: { key: primary(string(100)), points: integer(), expire: nullable(indexed(bigInteger())) } },
  /** Work that only one instance does at a time. */
  leases: { columns: { name: primary(string(16)), holder: string(36), ends_at: time() } },
  /** The processes that serve. Each writes its row every few seconds. Times are those of the database's clock. */
  instances: {
    since: '20261128000000_distribution.ts',
    columns: {
      id: primary(string(36)),
      // Machine and port, by which operators know an instance. Its worker processes share it.
      name: string(160),
      started_at: time(),
      seen_at: time(),
      release: string(32),
      // Digests of what instances should have in common.
      settings: nullable(string(16)),
      clients: nullable(string(16)),
      // The snapshot that it serves, and the one that it last saw in force.
      edition: nullable(string(64)),
      pointer: nullable(string(64)),
      // Milliseconds by which its clock is ahead of the database's.
      clock_ahead: nullable(integer()),
    },
  },
  /** Row 1 marks for ever that all people of this database are fictional. */
  sandbox: { columns: { id: primary(integer()), marked_at: time() } },

  /** The audit trail. Triggers of the first migration refuse changes, and removals except by the clean-up. */
  audit_events: {
    columns: {
      id: bigIncrements(),
      // Milliseconds since the epoch.
      at_ms: indexed(bigInteger()),
      event: string(32),
      outcome: string(8),
      actor: string(160),
      account_id: nullable(string(36)),
      client_id: nullable(string(128)),
      address: nullable(string(64)),
      request_id: nullable(string(64)),
      // JSON.
      details: nullable(text()),
      // The place in the hash chain (`audit-chain.ts`), and its seal if the service has a secret.
      sequence: nullable(bigInteger()),
      digest: nullable(string(43)),
      seal: nullable(string(40)),
    },
    unique: ['sequence'],
    indexes: [
      { columns: ['event', 'at_ms'] },
      { columns: ['account_id', 'at_ms'], name: 'audit_events_account', where: 'account_id is not null' },
      { columns: ['client_id', 'at_ms'], name: 'audit_events_client', where: 'client_id is not null' },
    ],
  },
  /** One row (id 1): the end of the chain, and the last record that a clean-up removed. */
  audit_chain: {
    columns: {
      id: primary(integer()),
      sequence: bigInteger(),
      digest: string(43),
      pruned_sequence: bigInteger(),
      pruned_digest: string(43),
      pruned_seal: nullable(string(40)),
      // Milliseconds since the epoch. Older records outside the chain may be removed.
      pruned_before: bigInteger(),
    },
  },

  ...DIRECTORY_TABLES,
} satisfies Record<string, Table>;
