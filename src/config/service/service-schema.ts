// The schema of `service.yaml`: keys, kinds of values, defaults and meanings. `config/service.schema.json` and the table of keys
// in `config/README.md` are generated from it.

import { z } from 'zod';
import { shown } from '#config/configuration-error.ts';
import {
  ALWAYS,
  addProblem,
  duration,
  group,
  rule,
  shownName,
  text,
  uniqueList,
  url,
  wholeNumber,
} from '#config/schema/fields.ts';
import { jsonSchemaOf } from '#config/schema/json-schema.ts';
import { baseUrlProblem, contactUrlProblem, type Mode, pageUrlProblem, servedUrlProblem } from '#config/url-rules.ts';
import { database } from './database-schema.ts';
import { directory } from './directory-schema.ts';
import { FIXED_LIMITS } from './guard-table.ts';
import { hsts, listen } from './listen-schema.ts';
import { mail } from './mail-schema.ts';
import { metrics } from './metrics.ts';
import { checkKeys, checkService, isLonger, NO_DEMO, networkProblem } from './service-checks.ts';

export const EXAMPLE_NAMESPACE = 'https://hygie.example';

const lifetimes = z.strictObject({
  authorizationCode: duration('60s', { most: '60s' }).describe('Authorization code; 60 s at most.'),
  accessToken: duration('1h', { most: '1d' }).describe('Access token.'),
  idToken: duration('1h', { most: '1d' }).describe('ID token.'),
  interaction: duration('1h', { most: '1d' }).describe('Time a person has to finish signing in.'),
  session: duration('12h', { most: '365d' }).describe('Absolute limit of a sign-in session.'),
  sessionIdle: duration('1h').describe(
    'Idle limit of a sign-in session. A session may end up to a minute before its limits, but never after them.',
  ),
  grant: duration('90d', { most: '3650d' }).describe(
    'Time after which people are asked for consent again. Must not be shorter than accessToken.',
  ),
  refreshToken: duration('30d').describe(
    'Absolute limit of a refresh token and all its successors. Must not be longer than grant.',
  ),
  refreshTokenIdle: duration('14d').describe(
    'Time without a refresh after which a refresh token ends. Must not be longer than refreshToken. It does not apply to clients with a profile, whose refresh tokens are not replaced.',
  ),
  refreshTokenGrace: duration('10s', { least: '0s', most: '60s' }).describe(
    'A client that repeats a refresh within this time gets the same new token. At most 60 s; 0 switches this off.',
  ),
  invitation: duration('7d', { most: '30d' }).describe(
    'Link of an invitation, with which a person chooses a password.',
  ),
});

/** Lifetimes of links in mails, in seconds. No setting changes them, because people usually open such a link at once. */
export const LINK_LIFETIMES = { passwordReset: 1800, emailVerification: 86_400, emailChange: 3600 } as const;

/** Keys that were settings in earlier releases. Each has a sentence that tells the operator which value applies now. */
export const FIXED_KEYS: Readonly<Record<string, string>> = {
  'hsts.preload':
    'It is never sent: browsers list whole domains (hstspreload.org), and the service is only one part of its domain.',
  'lifetimes.passwordReset': 'It is fixed: a link for a new password is good for 30 minutes.',
  'lifetimes.emailVerification': 'It is fixed: a link that verifies an address is good for a day.',
  'lifetimes.emailChange': 'It is fixed: a link that confirms another address is good for an hour.',
  ...Object.fromEntries(
    Object.entries(FIXED_LIMITS).map(([key, limit]) => [
      `directory.guards.${key}`,
      `It is fixed at ${limit}; --accept takes an edition that a guard refused.`,
    ]),
  ),
};

type Lifetimes = z.output<typeof lifetimes>;

// Pairs of lifetimes. The lifetime `part` may not be longer than the lifetime `whole`. It may be longer if it still has its default of
// `byDefault` seconds, because the operator has then only shortened `whole`, and `whole` applies: a session ends after `session`, even if
// `sessionIdle` is longer. If `byDefault` is 0, `part` may never be longer.
const WITHIN: readonly (readonly [part: keyof Lifetimes, whole: keyof Lifetimes, byDefault: number])[] = [
  ['accessToken', 'grant', 0],
  ['sessionIdle', 'session', 3600],
  ['refreshToken', 'grant', 30 * 86_400],
  ['refreshTokenIdle', 'refreshToken', 14 * 86_400],
];

// Checks the two lifetimes of each row of `WITHIN`. A value that does not fit the schema is not reported here, because the schema reports
// it.
function checkLifetimes(value: Lifetimes, context: z.RefinementCtx): void {
  for (const [part, whole, byDefault] of WITHIN) {
    if (!isLonger(value?.[part], value?.[whole]) || value[part] === byDefault) continue;
    const remedy = `Make ${part} at most as long as ${whole}.`;
    addProblem(context)([part], { problem: `Is longer than ${whole}.`, remedy });
  }
}

const helpSentence = (language: string) => text().max(200).describe(`The sentence in ${language}.`);

const branding = (mode: Mode) => ({
  name: shownName(60).default('Hygie').describe('Name shown to people.'),
  colour: z
    .string()
    .regex(/^#[0-9a-fA-F]{6}$/, { error: ({ input }) => `Must be a colour such as "#0b5f6b", but is ${shown(input)}.` })
    .default('#0b5f6b')
    .describe(
      'Accent colour: # and six hexadecimal digits, in quotation marks. Choose a dark one, because the text on it is white.',
    ),
  timeZone: z
    .string()
    .refine(isTimeZone, { error: ({ input }) => `Must be a time zone such as Europe/Paris, but is ${shown(input)}.` })
    .default('Europe/Paris')
    .describe('Time zone of times on pages and in mails: a name of the IANA database. The variable TZ overrides it.'),
  supportUrl: url((address) => contactUrlProblem(address, mode, 'help'))
    .exactOptional()
    .describe('Help page linked from the sign-in pages (https or mailto). Default: no link.'),
  helpText: z
    .strictObject({ fr: helpSentence('French'), en: helpSentence('English') })
    .exactOptional()
    .describe(
      'Sentence in each language that says whom to ask when a sign-in fails. Pages and mails show it with the link to supportUrl. Default without supportUrl: ask the team that runs the service.',
    ),
  privacyUrl: url((address) => pageUrlProblem(address, mode, 'https://example.org/privacy'))
    .exactOptional()
    .describe('Privacy notice linked from the sign-in pages (https). Default: no link.'),
});

/** Checks whether Node.js knows a time zone with this name. */
function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== undefined;
  } catch {
    return false;
  }
}

const limits = group({
  accountFailures: wholeNumber(1, 1000)
    .default(10)
    .describe(
      'Failed sign-ins of one account before further ones have to wait. All unknown browsers count together; each known browser counts by itself.',
    ),
  addressFailures: wholeNumber(1, 100_000)
    .default(100)
    .describe(
      'Failed sign-ins of unknown browsers from one address (IPv4, IPv6 /64) before further ones have to wait. Also the number of wrong secrets of one client from one address.',
    ),
  networkFailures: wholeNumber(1, 1_000_000)
    .default(1000)
    .describe('The same limit for one network (IPv4 /24, IPv6 /48). It is at least addressFailures.'),
  sessionsPerAccount: wholeNumber(0, 1000)
    .default(0)
    .describe('Sign-in sessions of one account at a time. A further one ends the oldest. 0 means 1000.'),
  failureWindow: duration('15m', { most: '1d' }).describe('Time over which failures are counted; a day at most.'),
  serviceAccountTokens: wholeNumber(1, 1_000_000)
    .default(120)
    .describe('Tokens that one client gets for itself (client credentials) in a minute, from each worker process.'),
});

const log = group({
  level: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .describe('Lowest level that is logged. LOG_LEVEL overrides it.'),
  format: z
    .enum(['json', 'pretty'])
    .exactOptional()
    .describe('json, or pretty for people. Default: pretty on a terminal, json elsewhere. LOG_FORMAT overrides it.'),
});

/**
 * Returns the schema of `service.yaml`, with the rules of the mode. A sandbox has the rules of production, except that `demo` may be true.
 */
export function serviceSchema(mode: Mode, sandbox = false): typeof IN_DEVELOPMENT {
  return mode === 'development' && !sandbox ? IN_DEVELOPMENT : schemaOf(mode, sandbox);
}

function schemaOf(mode: Mode, sandbox: boolean) {
  const production = mode === 'production';
  return z
    .strictObject({
      issuer: url((address) => servedUrlProblem(address, mode, 'https://connect.example.org'))
        .exactOptional()
        .describe(
          'Public base address, {auth_url}; https in production. Default: http://localhost:<port>, in development only. HYGIE_ISSUER overrides it.',
        ),
      listen,
      hsts,
      readiness: uniqueList(z.enum(['signin', 'directory']).describe('Half of the service.'), 2)
        .min(1)
        .exactOptional()
        .describe(
          'Halves of the service that /health/ready waits for. Default: signin, and also directory once one has been imported.',
        ),
      processes: z
        .union([wholeNumber(1, 256), z.literal('auto')])
        .default(1)
        .describe('Number of worker processes. auto: one per core. HYGIE_PROCESSES overrides it.'),
      proxies: wholeNumber(0, 10)
        .default(0)
        .describe(
          'Number of reverse proxies in front of the service. It trusts the X-Forwarded-* and X-Request-Id headers of that many. 0 if clients connect directly.',
        ),
      database: group(database).describe('The database of DATABASE_URL.'),
      namespace: url((address) => baseUrlProblem(address, false, 'https://example.org'))
        .default(EXAMPLE_NAMESPACE)
        .describe(
          "{claim_ns}: address at the beginning of the names of the service's own claims and identifier systems. Do not change it later: relying parties depend on it.",
        ),
      demo: z
        .boolean()
        .superRefine(rule((demo) => (demo && production && !sandbox ? NO_DEMO : undefined)))
        .exactOptional()
        .describe(
          'Fictional people, a fictional directory and the demo relying party. Default: true in development and in a sandbox, false in production. Production refuses true.',
        ),
      directory: group(directory(mode)).describe('The directory of health professionals.'),
      lifetimes: lifetimes
        .superRefine(checkLifetimes, ALWAYS)
        .prefault({})
        .describe('Lifetimes of tokens, sessions and links: seconds, or a number with s, m, h or d.'),
      secondFactor: z
        .enum(['optional', 'required'])
        .default('optional')
        .describe(
          'Code of an authenticator app after the password. optional: only for people who have set up an app, and for applications that demand it. required: for everybody; people without an app set one up when they sign in.',
        ),
      profile: group({
        editable: uniqueList(z.enum(['name', 'nickname']).describe(PART_OF_PROFILE))
          .default(['name', 'nickname'])
          .describe(
            'Parts of the profile that people may change in their account space: name (with given and family name), nickname. They may always change their language. Write [] if names come only from registers.',
          ),
      }).describe('Profile of people.'),
      pkce: z
        .enum(['optional', 'required'])
        .default('optional')
        .describe(
          'required: every authorization request must use PKCE (S256). optional: only requests of browser and native clients must, and those of servers with pkce: required in clients.yaml.',
        ),
      claims: group({
        updatedAt: z
          .enum(['iso8601', 'epoch'])
          .default('iso8601')
          .describe(
            'Form of updated_at: iso8601 as in the interface, or epoch (a number) as in OpenID Connect Core. clients[].updatedAt overrides it for one client.',
          ),
      }).describe('Claims of ID token and userinfo.'),
      keys: z
        .strictObject({
          rotateAfter: duration('90d', { never: true }).describe(
            'Age at which a new key replaces a key, without an outage. never: only `npm run -s hygie -- keys rotate` replaces keys.',
          ),
          cachedFor: duration('1h', { most: '1d' }).describe(
            'Time for which relying parties may cache the key set (Cache-Control). A new key is published that long before it signs.',
          ),
        })
        .superRefine(checkKeys, ALWAYS)
        .prefault({})
        .describe('Keys that sign ID tokens and cookies.'),
      audit: group({
        keep: duration('365d', { least: '1d' }).describe('Time for which audit records are kept; at least 1d.'),
      }).describe('The audit trail.'),
      outgoing: group({
        privateNetworks: uniqueList(
          z.string().superRefine(rule(networkProblem)).describe('Address and prefix length: 10.20.0.0/16.'),
          50,
        )
          .default([])
          .describe(
            'Private networks (10.20.0.0/16, fd12::/16) that the service may reach for backchannelLogoutUrl and jwksUrl of clients. It blocks all others.',
          ),
      }).describe('Requests that the service itself sends to addresses of clients.'),
      mail: mail(mode, sandbox).describe(
        'Mail server. Default: development shows mails on the page /outbox; production sends none, and pages say whom to ask.',
      ),
      metrics,
      branding: group(branding(mode)).describe('Name, colour and links of the pages.'),
      limits: limits.describe('Limits on failed sign-ins, sessions and tokens.'),
      log: log.describe('The log on standard output.'),
    })
    .superRefine(checkService(production), ALWAYS)
    .meta({
      title: 'Hygie: service.yaml',
      description:
        'Settings of the service. Environment variables override this file. A duration is a number of seconds, or a number with s, m, h or d.',
    });
}

const PART_OF_PROFILE =
  'Part of the profile. picture is no longer allowed, because people cannot upload pictures. An operator can set an https address: `npm run -s hygie -- accounts set-picture ACCOUNT URL`.';

const IN_DEVELOPMENT = schemaOf('development', false);

/** The JSON Schema of `service.yaml`. It is the same in every mode, because modes do not differ in their keys. */
export const SERVICE_KEYS = jsonSchemaOf(IN_DEVELOPMENT);

/** The content of `service.yaml` after parsing. Defaults are filled in, and durations are in seconds. */
export type ServiceFile = z.output<ReturnType<typeof serviceSchema>>;
