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
  text,
  uniqueList,
  url,
  wholeNumber,
} from '#config/schema/fields.ts';
import { jsonSchemaOf } from '#config/schema/json-schema.ts';
import { baseUrlProblem, contactUrlProblem, type Mode, pageUrlProblem } from '#config/url-rules.ts';
import { database } from './database-schema.ts';
import { directory } from './directory-schema.ts';
import { FIXED_LIMITS } from './guard-table.ts';
import { hsts, listen } from './listen-schema.ts';
import { mail } from './mail-schema.ts';
import { metrics } from './metrics-schema.ts';
import { checkKeys, checkService, isLonger, NO_DEMO, networkProblem } from './service-checks.ts';

export const EXAMPLE_NAMESPACE = 'https://hygie.example';

const lifetimes = z.strictObject({
  authorizationCode: duration('60s', { most: '60s' }).describe('Authorization code; 60 s at most.'),
  accessToken: duration('1h', { most: '1d' }).describe('Access token.'),
  idToken: duration('1h', { most: '1d' }).describe('ID token.'),
  interaction: duration('1h', { most: '1d' }).describe('Time a person has to finish signing in.'),
  session: duration('12h', { most: '365d' }).describe('Absolute limit of a sign-in session.'),
  sessionIdle: duration('1h').describe(
    'Idle limit of a sign-in session. Not each use is noted: a session may end a minute before one of its limits, never after it.',
  ),
  grant: duration('90d', { most: '3650d' }).describe(
    'Time after which consent is asked again; not shorter than the access token.',
  ),
  refreshToken: duration('30d').describe(
    'Absolute limit of a refresh token and all its successors; not longer than grant.',
  ),
  refreshTokenIdle: duration('14d').describe(
    'Time without a refresh after which it ends; not longer than refreshToken. Those of a client with a profile stay the same, and have the other limit alone.',
  ),
  refreshTokenGrace: duration('10s', { least: '0s', most: '60s' }).describe(
    'Time in which a client that repeats a refresh gets the same successor; 60 s at most, 0 for none.',
  ),
  invitation: duration('7d', { most: '30d' }).describe('Link of an invitation, by which a person chooses a password.'),
});

/** Lifetimes of links in mails, in seconds. People open them at once, so no setting is needed. */
export const LINK_LIFETIMES = { passwordReset: 1800, emailVerification: 86_400, emailChange: 3600 } as const;

/** Keys of former settings. Each has a sentence about the value that is fixed now. */
export const FIXED_KEYS: Readonly<Record<string, string>> = {
  'hsts.preload':
    'It is never sent: browsers list whole domains (hstspreload.org), whose first page the service is not.',
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

// In each row, the first lifetime must not be longer than the second one. The number is the default of the first lifetime, in seconds: if
// that is longer, it is no fault, because what it limits ends with the second one.
const WITHIN: readonly (readonly [part: keyof Lifetimes, whole: keyof Lifetimes, byDefault: number])[] = [
  ['accessToken', 'grant', 0],
  ['sessionIdle', 'session', 3600],
  ['refreshToken', 'grant', 30 * 86_400],
  ['refreshTokenIdle', 'refreshToken', 14 * 86_400],
];

// Checks these pairs. Values that do not fit the schema are reported elsewhere.
function checkLifetimes(value: Lifetimes, context: z.RefinementCtx): void {
  for (const [part, whole, byDefault] of WITHIN) {
    if (!isLonger(value?.[part], value?.[whole]) || value[part] === byDefault) continue;
    const remedy = `Make ${part} at most as long as ${whole}.`;
    addProblem(context)([part], { problem: `Is longer than ${whole}.`, remedy });
  }
}

const helpSentence = (language: string) => text().max(200).describe(`The sentence in ${language}.`);

const branding = (mode: Mode) => ({
  name: text().max(60).default('Hygie').describe('Name shown to people.'),
  colour: z
    .string()
    .regex(/^#[0-9a-fA-F]{6}$/, { error: ({ input }) => `Must be a colour such as "#0b5f6b", but is ${shown(input)}.` })
    .default('#0b5f6b')
    .describe(
      'Accent colour, # and six hexadecimal digits, in quotation marks. White text stands on it: choose a dark one.',
    ),
  timeZone: z
    .string()
    .refine(isTimeZone, { error: ({ input }) => `Must be a time zone such as Europe/Paris, but is ${shown(input)}.` })
    .default('Europe/Paris')
    .describe(
      'Time zone of the times on pages and in mails, by its name in the IANA database. The variable TZ beats it.',
    ),
  supportUrl: url((address) => contactUrlProblem(address, mode, 'help'))
    .exactOptional()
    .describe('Help page linked from the sign-in pages (https or mailto). Without it: no link.'),
  helpText: z
    .strictObject({ fr: helpSentence('French'), en: helpSentence('English') })
    .exactOptional()
    .describe(
      'Whom people may ask when they cannot sign in: a sentence in each language, shown with the link to supportUrl, in mails too. Without both: to ask the team that runs the service.',
    ),
  privacyUrl: url((address) => pageUrlProblem(address, mode, 'https://example.org/privacy'))
    .exactOptional()
    .describe('Privacy notice linked from the sign-in pages (https). Without it: no link.'),
});

/** Checks whether Node knows a time zone of this name. */
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
      'Failed sign-ins of one account before further ones wait: of all unknown browsers, and of each known one.',
    ),
  addressFailures: wholeNumber(1, 100_000)
    .default(100)
    .describe(
      'Failed sign-ins of unknown browsers from one address (IPv4, IPv6 /64) before further ones wait; and wrong secrets of one client.',
    ),
  networkFailures: wholeNumber(1, 1_000_000)
    .default(1000)
    .describe('The same from one network (IPv4 /24, IPv6 /48); never fewer than addressFailures.'),
  sessionsPerAccount: wholeNumber(0, 1000)
    .default(0)
    .describe('Sign-in sessions of one account at a time; a further one ends the oldest. 0: 1000.'),
  failureWindow: duration('15m').describe('Time over which failures are counted.'),
  serviceAccountTokens: wholeNumber(1, 1_000_000)
    .default(120)
    .describe('Tokens of one client for itself (client credentials) in a minute, from each worker process.'),
});

const log = group({
  level: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .describe('Least level that is logged. LOG_LEVEL beats it.'),
  format: z
    .enum(['json', 'pretty'])
    .exactOptional()
    .describe('json, or pretty for people. Without it: pretty on a terminal, json elsewhere. LOG_FORMAT beats it.'),
});

/** Returns the schema with the rules of the mode. A sandbox is production in which `demo` may be true. */
export function serviceSchema(mode: Mode, sandbox = false): typeof IN_DEVELOPMENT {
  return mode === 'development' && !sandbox ? IN_DEVELOPMENT : schemaOf(mode, sandbox);
}

function schemaOf(mode: Mode, sandbox: boolean) {
  const production = mode === 'production';
  return z
    .strictObject({
      issuer: url((address) => baseUrlProblem(address, production, 'https://connect.example.org'))
        .exactOptional()
        .describe(
          'Public base address, {auth_url}; https in production. Without it: http://localhost:<port>, in development only. HYGIE_ISSUER beats it.',
        ),
      listen,
      hsts,
      readiness: uniqueList(z.enum(['signin', 'directory']).describe('Half of the service.'), 2)
        .min(1)
        .exactOptional()
        .describe(
          'The halves of the service that /health/ready waits for. Without it: signin, and directory once one has been imported.',
        ),
      processes: z
        .union([wholeNumber(1, 256), z.literal('auto')])
        .default(1)
        .describe('Worker processes; auto for one per core. HYGIE_PROCESSES beats it.'),
      proxies: wholeNumber(0, 10)
        .default(0)
        .describe(
          'Number of reverse proxies in front whose X-Forwarded-* headers, and X-Request-Id, are believed; 0 when clients connect directly.',
        ),
      database: group(database).describe('The database of DATABASE_URL.'),
      namespace: url((address) => baseUrlProblem(address, false, 'https://example.org'))
        .default(EXAMPLE_NAMESPACE)
        .describe(
          "{claim_ns}: address before the names of the service's own claims and identifier systems. Choose it once; relying parties depend on it.",
        ),
      demo: z
        .boolean()
        .superRefine(rule((demo) => (demo && production && !sandbox ? NO_DEMO : undefined)))
        .exactOptional()
        .describe(
          'Fictional people, a fictional directory and the demo relying party. Without it: true in development and in a sandbox, false in production, where true is refused.',
        ),
      directory: group(directory(mode)).describe('The directory of health professionals.'),
      lifetimes: lifetimes
        .superRefine(checkLifetimes, ALWAYS)
        .prefault({})
        .describe('How long things live: seconds, or a number with s, m, h or d.'),
      secondFactor: z
        .enum(['optional', 'required'])
        .default('optional')
        .describe(
          'A code of an authenticator app after the password. optional: asked of people who have set one up, and where an application demands it; required: of everybody, who set it up when they sign in.',
        ),
      profile: group({
        editable: uniqueList(z.enum(['name', 'nickname']).describe(PART_OF_PROFILE))
          .default(['name', 'nickname'])
          .describe(
            'What people may change in their own space: name (with given and family name), nickname. Their language they always may. [] where names come from registers alone.',
          ),
      }).describe('What people say of themselves.'),
      pkce: z
        .enum(['optional', 'required'])
        .default('optional')
        .describe(
          'required: every authorization request must use PKCE (S256). optional: those of browser and native clients, and of servers whose entry in clients.yaml says so.',
        ),
      claims: group({
        updatedAt: z
          .enum(['iso8601', 'epoch'])
          .default('iso8601')
          .describe(
            'Form of updated_at: iso8601 as the interface says, or epoch (a number) as OpenID Connect Core says. A client may have its own: clients[].updatedAt.',
          ),
      }).describe('Claims of ID token and userinfo.'),
      keys: z
        .strictObject({
          rotateAfter: duration('90d', { never: true }).describe(
            'Age at which a key is replaced by a new one, without an outage; never: only by `npm run -s hygie -- keys rotate`.',
          ),
          cachedFor: duration('1h', { most: '1d' }).describe(
            'Time that relying parties may keep the key set (Cache-Control); a new key is published that long before it signs.',
          ),
        })
        .superRefine(checkKeys, ALWAYS)
        .prefault({})
        .describe('Keys that sign ID tokens and cookies.'),
      audit: group({
        keep: duration('365d', { least: '1d' }).describe('Time that records of the audit trail are kept; 1d at least.'),
      }).describe('The audit trail.'),
      outgoing: group({
        privateNetworks: uniqueList(
          z.string().superRefine(rule(networkProblem)).describe('Address and length: 10.20.0.0/16.'),
          50,
        )
          .default([])
          .describe(
            'Private networks (10.20.0.0/16, fd12::/16) that addresses of clients (backchannelLogoutUrl, jwksUrl) may lie in; all others are blocked.',
          ),
      }).describe('Requests that the service itself makes, to addresses of clients.'),
      mail: mail(mode, sandbox).describe(
        'The mail server. Without it: in development mails stand on the page /outbox; in production none is sent, and pages say whom to ask.',
      ),
      metrics,
      branding: group(branding(mode)).describe('How the pages present themselves.'),
      limits: limits.describe('Throttling of failed sign-ins, and how many sessions one account may have.'),
      log: log.describe('The log on standard output.'),
    })
    .superRefine(checkService(production), ALWAYS)
    .meta({
      title: 'Hygie: service.yaml',
      description:
        'Settings of the service. Environment variables beat this file. A duration is a number of seconds, or a number with s, m, h or d.',
    });
}

const PART_OF_PROFILE =
  'Part of the profile. picture is none any more: people upload none. It shows their initials, or is an https address that an operator sets (`npm run -s hygie -- accounts set-picture ACCOUNT URL`).';

const IN_DEVELOPMENT = schemaOf('development', false);

/** The JSON Schema of `service.yaml`. Its keys are the same in every mode. */
export const SERVICE_KEYS = jsonSchemaOf(IN_DEVELOPMENT);

/** The parsed `service.yaml`: defaults filled in, durations in seconds. */
export type ServiceFile = z.output<ReturnType<typeof serviceSchema>>;
