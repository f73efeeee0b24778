// Every metric of the service in one table: kind, meaning, and labels with all possible values. The registry, the table of the handbook and
// the tests of dashboard and alerts are made from it.

import { RESOURCE_TYPES } from '#search-index/index.ts';
import { AUDIT_EVENTS } from '#shared/audit/events.ts';
import { LIMITS } from '#shared/limits-reached.ts';
import { COMMON } from '#store/instances.ts';
import { KEY_KINDS } from '#store/oidc/service-keys.ts';
import { OAUTH_ERRORS, OPERATIONS, OTHER, ROUTES, SIGN_IN_METHODS, SIGN_IN_REASONS, STATUSES } from './label-values.ts';

/** Rules for combining the values of worker processes in one gauge. Counters and histograms are always added up. */
export type Across = 'sum' | 'max' | 'min' | 'first';

interface Definition {
  type: 'counter' | 'gauge' | 'histogram';
  help: string;
  /**
   * All values of each label. Any other value counts as `other`: so no part of a request can become a label, and the number of series is
   * known. `undefined` stands for a label that the program sets once.
   */
  labels?: Readonly<Record<string, readonly string[] | undefined>>;
  /** Upper bounds of a histogram, in seconds. */
  buckets?: readonly number[];
  /** Rule for combining a gauge's values of several processes. The default is `sum`. */
  across?: Across;
}

/** Prefix of the name of each metric. */
export const PREFIX = 'hygie_';

/** Upper bounds of all histograms in seconds, from 1 ms to 10 s. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;

export const METRICS = {
  sign_ins_total: {
    type: 'counter',
    help: 'Sign-ins of people; throttled: not looked at, after too many failures, by whatever method (other); reason: why one failed, as in the audit trail.',
    labels: { method: SIGN_IN_METHODS, outcome: ['success', 'failure', 'throttled'], reason: SIGN_IN_REASONS },
  },
  tokens_issued_total: {
    type: 'counter',
    help: 'Answers of the token endpoint that gave tokens.',
    labels: { grant: ['authorization_code', 'refresh_token', 'client_credentials'] },
  },
  authorization_errors_total: {
    type: 'counter',
    help: 'Authorization requests that were refused, login_required of silent ones among them.',
    labels: { error: OAUTH_ERRORS },
  },
  oidc_errors_total: {
    type: 'counter',
    help: 'Refusals and failures of the other OpenID endpoints.',
    labels: {
      endpoint: [
        'token',
        'pushed_authorization_request',
        'introspection',
        'revocation',
        'userinfo',
        'end_session',
        OTHER,
      ],
      error: OAUTH_ERRORS,
    },
  },
  audit_events_total: {
    type: 'counter',
    help: 'Events of the audit trail of the running service; commands of an operator are in the trail alone.',
    labels: { event: Object.keys(AUDIT_EVENTS) },
  },
  rate_limited_total: {
    type: 'counter',
    help: 'What limits refused: the table of limits in the handbook.',
    labels: { limit: Object.keys(LIMITS) },
  },
  http_requests_total: {
    type: 'counter',
    help: 'Requests by what they are for and class of status; aborted: the client went away before there was an answer.',
    labels: { route: ROUTES, status: STATUSES },
  },
  http_request_duration_seconds: {
    type: 'histogram',
    help: 'Time from a request to the end of its answer.',
    labels: { route: ROUTES },
    buckets: BUCKETS,
  },
  directory_requests_total: {
    type: 'counter',
    help: 'Requests to the directory by operation and class of status.',
    labels: { operation: OPERATIONS, status: STATUSES },
  },
  directory_request_duration_seconds: {
    type: 'histogram',
    help: 'Time from a request to the directory to the end of its answer.',
    labels: { operation: OPERATIONS },
    buckets: BUCKETS,
  },
  directory_serving: {
    type: 'gauge',
    help: '1 where every worker process has an edition open and read into memory, else 0.',
    across: 'min',
  },
  directory_behind_seconds: {
    type: 'gauge',
    help: 'Time for which this instance has served another edition than the one in force, or none: of the worker process that is furthest behind; 0 where all serve it.',
    across: 'max',
  },
  directory_served_timestamp_seconds: {
    type: 'gauge',
    help: 'When the edition that this instance serves was imported: the oldest of its worker processes.',
    across: 'min',
  },
  clock_ahead_seconds: {
    type: 'gauge',
    help: "Seconds by which the clock of this instance is ahead of PostgreSQL's, below 0 behind it; absent with SQLite.",
    across: 'first',
  },
  clients_refused: {
    type: 'gauge',
    help: '1 where the last edit of clients.yaml was refused, and the version before is in force, else 0.',
    across: 'max',
  },
  backup_timestamp_seconds: {
    type: 'gauge',
    help: 'When a backup was made last, and when a sound one was verified last, by the audit trail; 0 where that has no record of it.',
    labels: { event: ['made', 'verified'] },
  },
  instances: { type: 'gauge', help: 'Instances that said within the last minute that they serve.' },
  instances_values: {
    type: 'gauge',
    help: 'How many different ones they have among them: 1 where they are alike.',
    labels: { of: COMMON },
  },
  directory_snapshot_created_timestamp_seconds: {
    type: 'gauge',
    help: 'When the snapshot in force was imported, whichever this instance serves.',
  },
  directory_snapshot_activated_timestamp_seconds: {
    type: 'gauge',
    help: 'When it came into force: later than it was imported after a rollback.',
  },
  directory_snapshot_bytes: { type: 'gauge', help: 'Size of its file.' },
  directory_resources: {
    type: 'gauge',
    help: 'Resources in it.',
    labels: { type: RESOURCE_TYPES },
  },
  directory_last_import_timestamp_seconds: {
    type: 'gauge',
    help: 'Last import of each outcome, by whatever process; 0 where there was none. refused: by a guard, or failed; kept: the same edition, after that.',
    labels: { outcome: ['imported', 'refused', 'kept', 'rolled-back'] },
  },
  search_calls: {
    type: 'gauge',
    help: 'Searches that wait for one of the threads, and that run in them.',
    labels: { state: ['waiting', 'running'] },
  },
  database_up: { type: 'gauge', help: '1 where the database answered within two seconds, else 0.' },
  database_connections: {
    type: 'gauge',
    help: 'Connections of the pools.',
    labels: { state: ['used', 'free'] },
  },
  database_pending_acquires: { type: 'gauge', help: 'Queries that wait for a connection.' },
  database_acquire_duration_seconds: {
    type: 'histogram',
    help: 'Time for which they waited; PostgreSQL alone.',
    buckets: BUCKETS,
  },
  database_errors_total: {
    type: 'counter',
    help: 'Queries that failed; unavailable: the database did not answer, was busy, or could store nothing.',
    labels: { kind: ['unavailable', OTHER] },
  },
  backchannel_logouts_waiting: {
    type: 'gauge',
    help: 'Notices of sign-outs that wait to be delivered, of all instances.',
  },
  backchannel_logouts_oldest_age_seconds: { type: 'gauge', help: 'Age of the oldest of them; 0 where none waits.' },
  backchannel_logouts_total: {
    type: 'counter',
    help: 'Of them, what was delivered; failed: the first attempt for one, which is tried again; given-up: after a day.',
    labels: { outcome: ['delivered', 'failed', 'given-up'] },
  },
  mails_waiting: { type: 'gauge', help: 'Mails that wait to be sent, of all instances.' },
  mails_oldest_age_seconds: { type: 'gauge', help: 'Age of the oldest of them; 0 where none waits.' },
  mails_total: {
    type: 'counter',
    help: 'Mails sent; failed: the first attempt for one, which is tried again; given-up: after an hour or a day, or refused for good.',
    labels: { outcome: ['sent', 'failed', 'given-up'] },
  },
  audit_waiting_records: { type: 'gauge', help: 'Records of the audit trail that wait to be written.' },
  audit_dropped_records: {
    type: 'gauge',
    help: 'Records that found no room while the database is away: in the log only, counted in the trail when it is back.',
  },
  key_active_timestamp_seconds: {
    type: 'gauge',
    help: 'Since when the key in use is used.',
    labels: { kind: KEY_KINDS },
  },
  key_rotation_timestamp_seconds: {
    type: 'gauge',
    help: 'When the next key is due to be made (keys.rotateAfter); absent where that is by command only.',
    labels: { kind: KEY_KINDS },
  },
  cleanup_removed_rows_total: { type: 'counter', help: 'Expired rows that were removed.' },
  cleanup_failures_total: { type: 'counter', help: 'Steps of the clean-up that failed.' },
  cleanup_last_success_timestamp_seconds: {
    type: 'gauge',
    help: 'When this instance removed all that had expired; one instance at a time does.',
    across: 'max',
  },
  tls_certificate_expiry_timestamp_seconds: {
    type: 'gauge',
    help: 'When the certificate of listen.tls ends: the first to end of all worker processes. Absent where a proxy ends TLS.',
    across: 'min',
  },
  worker_processes: {
    type: 'gauge',
    help: 'Processes that serve; silent: did not answer for these metrics within two seconds.',
    labels: { state: ['answering', 'silent'] },
  },
  worker_deaths_total: { type: 'counter', help: 'Worker processes that ended by themselves and were replaced.' },
  build_info: {
    type: 'gauge',
    help: 'Always 1.',
    labels: { version: undefined, node: undefined, engine: undefined },
    across: 'first',
  },
} as const satisfies Record<string, Definition>;

export type MetricName = keyof typeof METRICS;
export type NamesOf<Type extends Definition['type']> = {
  [Name in MetricName]: (typeof METRICS)[Name]['type'] extends Type ? Name : never;
}[MetricName];

/** Returns a metric's definition in the form that all metrics share. */
export function definitionOf(name: MetricName): Definition {
  return METRICS[name];
}
