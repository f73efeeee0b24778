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
   * All values of each label. Any other value becomes `other`, so that no part of a request can become a label, and the number of series is
   * known. A label with `undefined` takes any value, because the program sets it only once, for example to its version.
   */
  labels?: Readonly<Record<string, readonly string[] | undefined>>;
  /** Upper bounds of the buckets of a histogram, in seconds. */
  buckets?: readonly number[];
  /** Rule for combining a gauge's values of several processes. The default is `sum`. */
  across?: Across;
}

/** Prefix of the name of each metric. */
export const PREFIX = 'hygie_';

/** Upper bounds of the buckets of each histogram that counts seconds, from 1 ms to 10 s. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;

export const METRICS = {
  sign_ins_total: {
    type: 'counter',
    help: 'Sign-ins of people. throttled: not checked after too many failures (method other). reason: cause of a failure, as in the audit trail.',
    labels: { method: SIGN_IN_METHODS, outcome: ['success', 'failure', 'throttled'], reason: SIGN_IN_REASONS },
  },
  tokens_issued_total: {
    type: 'counter',
    help: 'Responses of the token endpoint with tokens.',
    labels: { grant: ['authorization_code', 'refresh_token', 'client_credentials'] },
  },
  authorization_errors_total: {
    type: 'counter',
    help: 'Authorization requests that were refused, including login_required for silent requests.',
    labels: { error: OAUTH_ERRORS },
  },
  oidc_errors_total: {
    type: 'counter',
    help: 'Refused and failed requests to the other OpenID endpoints.',
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
    help: 'Audit events of the running service. Events of commands are only in the audit trail.',
    labels: { event: Object.keys(AUDIT_EVENTS) },
  },
  rate_limited_total: {
    type: 'counter',
    help: 'Refusals by limits. The table of rate limits in the handbook explains each limit.',
    labels: { limit: Object.keys(LIMITS) },
  },
  http_requests_total: {
    type: 'counter',
    help: 'Requests by purpose and status class. aborted: the client closed the connection before the response.',
    labels: { route: ROUTES, status: STATUSES },
  },
  http_request_duration_seconds: {
    type: 'histogram',
    help: 'Time from a request to the end of its response.',
    labels: { route: ROUTES },
    buckets: BUCKETS,
  },
  directory_requests_total: {
    type: 'counter',
    help: 'Requests to the directory by operation and status class.',
    labels: { operation: OPERATIONS, status: STATUSES },
  },
  directory_request_duration_seconds: {
    type: 'histogram',
    help: 'Time from a request to the directory to the end of its response.',
    labels: { operation: OPERATIONS },
    buckets: BUCKETS,
  },
  directory_serving: {
    type: 'gauge',
    help: '1 if every worker process has opened an edition and read it into memory, otherwise 0.',
    across: 'min',
  },
  directory_behind_seconds: {
    type: 'gauge',
    help: 'Time for which the worker process that is furthest behind has not served the edition in force. 0 if all serve it.',
    across: 'max',
  },
  directory_served_timestamp_seconds: {
    type: 'gauge',
    help: 'Time at which the edition that this instance serves was imported. If worker processes differ, the oldest edition counts.',
    across: 'min',
  },
  clock_ahead_seconds: {
    type: 'gauge',
    help: "Seconds by which the clock of this instance is ahead of PostgreSQL's; negative if it is behind. Absent with SQLite.",
    across: 'first',
  },
  clients_refused: {
    type: 'gauge',
    help: '1 if the last edit of clients.yaml was refused and the previous version is in force, otherwise 0.',
    across: 'max',
  },
  backup_timestamp_seconds: {
    type: 'gauge',
    help: 'Time of the last backup, and of the last successful verification, according to the audit trail. 0 if there is none.',
    labels: { event: ['made', 'verified'] },
  },
  instances: { type: 'gauge', help: 'Instances that have reported within the last minute.' },
  instances_values: {
    type: 'gauge',
    help: 'Number of different values that the instances have: 1 if all have the same.',
    labels: { of: COMMON },
  },
  directory_snapshot_created_timestamp_seconds: {
    type: 'gauge',
    help: 'Time at which the snapshot in force was imported, even if this instance serves another one.',
  },
  directory_snapshot_activated_timestamp_seconds: {
    type: 'gauge',
    help: 'Time at which the snapshot in force came into force. After a rollback this is later than its import.',
  },
  directory_snapshot_bytes: { type: 'gauge', help: 'Size of the file of the snapshot in force.' },
  directory_resources: {
    type: 'gauge',
    help: 'Resources in the snapshot in force.',
    labels: { type: RESOURCE_TYPES },
  },
  directory_last_import_timestamp_seconds: {
    type: 'gauge',
    help: 'Time of the last import with each outcome, in any process; 0 if there is none. refused: by a guard, or failed. kept: the edition in force was imported again after a refusal.',
    labels: { outcome: ['imported', 'refused', 'kept', 'rolled-back'] },
  },
  search_calls: {
    type: 'gauge',
    help: 'Searches that wait for a search thread, and searches that run in one.',
    labels: { state: ['waiting', 'running'] },
  },
  database_up: {
    type: 'gauge',
    help: '1 if the numbers of the database could be read within two seconds, otherwise 0.',
  },
  database_connections: {
    type: 'gauge',
    help: 'Connections to the database, in the pools of the worker processes.',
    labels: { state: ['used', 'free'] },
  },
  database_pending_acquires: { type: 'gauge', help: 'Queries that wait for a connection to the database.' },
  database_acquire_duration_seconds: {
    type: 'histogram',
    help: 'Time for which queries waited for a connection. PostgreSQL only.',
    buckets: BUCKETS,
  },
  database_errors_total: {
    type: 'counter',
    help: 'Queries that failed. unavailable: the database did not answer, was busy, or could store nothing.',
    labels: { kind: ['unavailable', OTHER] },
  },
  backchannel_logouts_waiting: {
    type: 'gauge',
    help: 'Logout tokens of all instances that wait to be delivered to applications.',
  },
  backchannel_logouts_oldest_age_seconds: {
    type: 'gauge',
    help: 'Age of the oldest logout token that waits; 0 if none waits.',
  },
  backchannel_logouts_total: {
    type: 'counter',
    help: 'Logout tokens. failed: the first attempt failed, and the service tries again. given-up: not delivered within a day, or the client has no address any more.',
    labels: { outcome: ['delivered', 'failed', 'given-up'] },
  },
  mails_waiting: { type: 'gauge', help: 'Mails of all instances that wait to be sent.' },
  mails_oldest_age_seconds: { type: 'gauge', help: 'Age of the oldest mail that waits; 0 if none waits.' },
  mails_total: {
    type: 'counter',
    help: 'Mails. failed: the first attempt failed, and the service tries again. given-up: not sent within an hour or a day, refused for good, or the account has changed.',
    labels: { outcome: ['sent', 'failed', 'given-up'] },
  },
  audit_waiting_records: { type: 'gauge', help: 'Audit records that wait to be written to the database.' },
  audit_dropped_records: {
    type: 'gauge',
    help: 'Audit records that found no room in memory while the database is away. They are only in the log; the audit trail gets their number later.',
  },
  key_active_timestamp_seconds: {
    type: 'gauge',
    help: 'Time since which the current key has been in use.',
    labels: { kind: KEY_KINDS },
  },
  key_rotation_timestamp_seconds: {
    type: 'gauge',
    help: 'Time at which the next key is due (keys.rotateAfter). Absent if keys are replaced by command only.',
    labels: { kind: KEY_KINDS },
  },
  cleanup_removed_rows_total: { type: 'counter', help: 'Expired database rows that were removed.' },
  cleanup_failures_total: { type: 'counter', help: 'Failed steps of the clean-up of expired rows.' },
  cleanup_last_success_timestamp_seconds: {
    type: 'gauge',
    help: 'Time at which this instance last removed all expired rows. Only one instance at a time does this.',
    across: 'max',
  },
  tls_certificate_expiry_timestamp_seconds: {
    type: 'gauge',
    help: 'Time at which the certificate of listen.tls expires. If worker processes differ, the earliest time counts. Absent if a proxy ends TLS.',
    across: 'min',
  },
  worker_processes: {
    type: 'gauge',
    help: 'Worker processes. silent: the process did not answer for these metrics within two seconds.',
    labels: { state: ['answering', 'silent'] },
  },
  worker_deaths_total: { type: 'counter', help: 'Worker processes that ended unexpectedly and were replaced.' },
  build_info: {
    type: 'gauge',
    help: 'Always 1. The labels name the release, the version of Node.js and the database engine.',
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
