// Counts two kinds of events as metrics: those of the audit trail (every sign-in, token, mail and notice of a sign-out), and the refusals
// of the OpenID provider. `metric-definitions.ts` has the names and labels of these metrics.

import type { errors, KoaContextWithOIDC, Provider } from 'oidc-provider';
import type { AuditEvent, AuditEventName, AuditTrail } from '#shared/audit/events.ts';
import { SIGN_IN_METHODS, SIGN_IN_REASONS } from './label-values.ts';
import type { NamesOf } from './metric-definitions.ts';
import type { Labels, Metrics } from './registry.ts';

type Counted = readonly [name: NamesOf<'counter'>, labels: (event: AuditEvent) => Labels];

const outcome = (of: string) => () => ({ outcome: of });

const TABLE: Readonly<Partial<Record<AuditEventName, Counted>>> = {
  'sign-in.succeeded': [
    'sign_ins_total',
    ({ details }) => ({ method: [details?.['methods'] ?? []].flat().join('+'), outcome: 'success', reason: 'none' }),
  ],
  'sign-in.failed': [
    'sign_ins_total',
    ({ details }) => {
      const reason = String(details?.['reason']);
      return { method: methodOf(reason), outcome: 'failure', reason };
    },
  ],
  'sign-in.throttled': ['sign_ins_total', () => ({ method: 'other', outcome: 'throttled', reason: 'none' })],
  'token.issued': ['tokens_issued_total', grantOf],
  'token.refreshed': ['tokens_issued_total', grantOf],
  'logout-token.delivered': ['backchannel_logouts_total', outcome('delivered')],
  'logout-token.failed': ['backchannel_logouts_total', outcome('failed')],
  'logout-token.given-up': ['backchannel_logouts_total', outcome('given-up')],
  'mail.sent': ['mails_total', outcome('sent')],
  'mail.failed': ['mails_total', outcome('failed')],
  'mail.given-up': ['mails_total', outcome('given-up')],
};

/** The series that exist from the start, because Prometheus does not see the first event of a new series as an increase. */
const SIGN_INS: readonly Labels[] = [
  ...SIGN_IN_METHODS.map((method) => ({ method, outcome: 'success', reason: 'none' })),
  ...SIGN_IN_REASONS.filter((reason) => reason !== 'none').map((reason) => {
    return { method: methodOf(reason), outcome: 'failure', reason };
  }),
  { method: 'other', outcome: 'throttled', reason: 'none' },
];

/** Returns the method of a failed sign-in, as the reason in the audit trail shows it. */
function methodOf(reason: string): string {
  if (reason.startsWith('code')) return 'second-factor';
  return reason.startsWith('passkey') ? 'passkey' : 'password';
}

function grantOf({ details }: AuditEvent): Labels {
  return { grant: String(details?.['grant']) };
}

/** Returns an audit trail that passes each event on to `trail`, and also counts it. */
export function countAuditEvents<Trail extends AuditTrail>(trail: Trail, metrics: Metrics | undefined): Trail {
  if (!metrics) return trail;
  for (const labels of SIGN_INS) metrics.count('sign_ins_total', labels, 0);
  const count = (event: AuditEvent) => {
    metrics.count('audit_events_total', { event: event.event });
    const counted = TABLE[event.event];
    if (counted) metrics.count(counted[0], counted[1](event));
  };
  return {
    ...trail,
    record: (event) => {
      count(event);
      return trail.record(event);
    },
    note: (event) => {
      count(event);
      trail.note(event);
    },
  };
}

const ENDPOINTS = {
  'grant.error': 'token',
  'pushed_authorization_request.error': 'pushed_authorization_request',
  'introspection.error': 'introspection',
  'revocation.error': 'revocation',
  'userinfo.error': 'userinfo',
  'end_session.error': 'end_session',
  server_error: 'other',
} as const;

/**
 * Counts the refusals of a provider by endpoint and error code. They include the usual answers to `prompt=none`, which the audit trail
 * leaves out. Call this function after the provider's other listeners were added, because those give errors their final code
 * (`openid/provider/errors/error-responses.ts`).
 */
export function countProviderErrors(provider: Provider, metrics: Metrics | undefined): void {
  if (!metrics) return;
  type Refusal = Pick<errors.OIDCProviderError, 'error'>;
  provider.on('authorization.error', (_ctx: KoaContextWithOIDC, { error }: Refusal) =>
    metrics.count('authorization_errors_total', { error }),
  );
  for (const [event, endpoint] of Object.entries(ENDPOINTS)) {
    provider.on(event as 'grant.error', (ctx: KoaContextWithOIDC, { error = 'server_error' }: Partial<Refusal>) =>
      metrics.count('oidc_errors_total', {
        endpoint: endpoint === 'other' ? (ctx.oidc?.route ?? endpoint) : endpoint,
        error,
      }),
    );
  }
}
