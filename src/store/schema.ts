// All current tables, except the tables of the directory, which are in `schema-directory.ts`. Migrations create the tables from these
// definitions, and `rows.ts` has the types of query results. Times are seconds since the epoch. A text column holds JSON if its comment
// says so.

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
      // Null for a person without an address. Such an account is prepared for a sign-in by another provider, which does not exist yet.
      email: nullable(string(254)),
      // The address in lower case, in which form addresses are compared. No two accounts have the same address.
      email_key: nullable(unique(string(254))),
      email_verified: boolean(),
      name: string(200),
      given: nullable(text()),
      family: nullable(text()),
      nickname: nullable(string(200)),
      // Address of the picture, if an operator gave one.
      picture: nullable(text()),
      profile: nullable(text()),
      // `fr` or `en`; null means the language of the browser.
      language: nullable(string(2)),
      // JSON: ids of the records in the directory.
      practitioners: text(),
      workspaces: text(),
      current_workspace: nullable(string(64)),
      // JSON with an entry for each linked record. `linked_as` describes the person or structure that the link means, for example by name.
      // `link_changes` says since which edition a link does not hold, because the record is missing or belongs to somebody else.
      linked_as: nullable(text()),
      link_changes: nullable(text()),
      status: string(16),
      password_hash: nullable(text()),
      password_set_at: nullable(time()),
      // True if the person has to choose another password at the next sign-in.
      password_change_required: byDefault(boolean(), false),
      // Sign-ins before this second are invalid, except in the session with this public identifier (`isSignInValid`).
      sessions_not_before: nullable(time()),
      kept_session: nullable(string(64)),
      deletion_requested_at: nullable(time()),
      created_at: time(),
      updated_at: time(),
    },
  },
  /** The ids of deleted accounts. No new account gets one of these ids, because applications may still know the deleted person by it. */
  deleted_accounts: { columns: { id: primary(string(36)), deleted_at: time() } },
  /** Authenticator apps. The secret is encrypted if the service has a key secret. It cannot be hashed, since codes are computed from it. */
  second_factors: {
    columns: {
      account_id: primary(ofAccount()),
      secret: text(),
      // The time step of the last accepted code (RFC 6238). Codes of this step and of earlier ones are refused.
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
      // The id by which authenticators know the account: a random value, the same for all its passkeys. It says nothing about the person,
      // because authenticators may reveal it to anybody who uses them (WebAuthn section 14.6.1).
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
      // Digest of the token in the link. Only the mail has the token itself (SEC-16).
      digest: unique(string(43)),
      // The address to which the link was sent, if following the link proves that the person reads mail to it.
      email: nullable(string(254)),
      // A mark of the account's state when the link was made. Once that state has changed, the link is invalid.
      state: string(43),
      expires_at: indexed(time()),
    },
    primary: ['account_id', 'purpose'],
  },
  /**
   * Kinds of device with which people have signed in to an account, by browser and operating system: `Firefox, Windows`. `seen_at` is the
   * time of the last sign-in, exact to a day.
   */
  seen_devices: {
    columns: { account_id: ofAccount(), device: string(64), seen_at: time() },
    primary: ['account_id', 'device'],
  },
  /** The secret from which the addresses of pictures are derived, in row 1. */
  picture_key: { columns: { id: primary(integer()), secret: string(43) } },

  /** Codes, tokens, grants, sessions and interactions of the OpenID provider. */
  oidc_records: {
    columns: {
      model: string(32),
      // SHA-256 of the token, code or id, which itself is never stored.
      id: string(43),
      // JSON.
      payload: text(),
      // The `id` of the row that holds the grant.
      grant_id: nullable(indexed(string(43))),
      // The public identifier of a session, or of the session in which a code or token was issued.
      uid: nullable(string(64)),
      account_id: nullable(string(36)),
      expires_at: nullable(indexed(time())),
      consumed_at: nullable(time()),
      // Successor of a used refresh token, encrypted with the used token. It is deleted when the refresh can no longer be repeated
      // (`lifetimes.refreshTokenGrace`).
      successor: nullable(text()),
    },
    primary: ['model', 'id'],
    // These indexes are partial, because a full index would cost an additional write for every code and token.
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
  /** Sessions of the service's own pages, by the digest of their id. */
  page_sessions: { columns: { id: primary(string(43)), payload: text(), expires_at: indexed(time()) } },
  /**
   * Signing keys by JWS algorithm, and keys of cookies. Instances that add a key lock the row `lock`, so that only one instance adds it.
   */
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
  /** Outbox of back-channel logout. A row stays until the client was notified of the end of the session, or the attempts were given up. */
  logout_deliveries: {
    columns: {
      id: bigIncrements(),
      client_id: string(128),
      account_id: string(36),
      // The client's id for the ended session; not a secret.
      sid: string(64),
      created_at: time(),
      // From this second on, any instance may take the row. An instance that takes it moves this second into the future, so that another
      // instance takes the row if the first one dies.
      due_at: indexed(time()),
      attempts: integer(),
    },
  },
  /** Outbox of mails. A row stays for a day after its mail was sent, because the limits on mails count the rows. */
  mail_queue: {
    columns: {
      id: bigIncrements(),
      kind: string(32),
      // Mails of an account with the same kind and topic share a limit. In a notice, the topic is the event that it reports. In a mail to
      // the operator, it is the reported failure, with a digest of the reasons for the failure. In a request for a new password, which
      // belongs to no account yet, it is a digest of the login. Otherwise it is empty.
      topic: string(64),
      // Empty for a mail to the operator, and for a request for a new password, which belongs to no account yet.
      account_id: string(36),
      // Null means the address that the account has when the mail is sent. An address is removed once the mail was sent or given up.
      address: nullable(string(320)),
      language: nullable(string(2)),
      // JSON without secrets, because the token of a link is made only when the mail is sent.
      details: nullable(text()),
      created_at: time(),
      // The second from which an instance may take the row, as in `logout_deliveries`. Null once the mail was sent or given up.
      due_at: nullable(indexed(time())),
      attempts: integer(),
    },
    indexes: [{ columns: ['account_id', 'kind', 'topic', 'created_at'] }],
  },

  /** Counts of rate-limiter-flexible. `key` is the name of the rule and a digest; `expire` is in milliseconds since the epoch. */
  rate_limits: { columns: { key: primary(string(100)), points: integer(), expire: nullable(indexed(bigInteger())) } },
  /** Work that only one instance does at a time. */
  leases: { columns: { name: primary(string(16)), holder: string(36), ends_at: time() } },
  /** The processes that serve. Each writes its row every few seconds. Times in this table are taken from the clock of the database. */
  instances: {
    since: '20261128000000_distribution.ts',
    columns: {
      id: primary(string(36)),
      // Machine and port, the name by which operators know an instance. All worker processes of an instance have the same name.
      name: string(160),
      started_at: time(),
      seen_at: time(),
      release: string(32),
      // Digests of the settings and of the clients, which should be the same for all instances.
      settings: nullable(string(16)),
      clients: nullable(string(16)),
      // The snapshot that the process serves, and the snapshot that was in force when it last looked.
      edition: nullable(string(64)),
      pointer: nullable(string(64)),
      // Milliseconds by which the clock of the process is ahead of the database's clock.
      clock_ahead: nullable(integer()),
    },
  },
  /** Row 1 marks for ever that all people of this database are fictional. */
  sandbox: { columns: { id: primary(integer()), marked_at: time() } },

  /** The audit trail. Triggers of the first migration refuse all changes of rows, and all removals except those by the clean-up. */
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
      // The number and the digest of the record in the hash chain (`audit-chain.ts`), and its seal if the service has a secret.
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
      // The clean-up may remove records outside the chain that are older than this (milliseconds since the epoch).
      pruned_before: bigInteger(),
    },
  },

  ...DIRECTORY_TABLES,
} satisfies Record<string, Table>;
