// The keys of `service.yaml` about the directory: its address, the limits for requests of one client, and the limits beyond which an import
// is refused.

import { z } from 'zod';
import type { Problem } from '#config/configuration-error.ts';
import { duration, group, share, size, text, uniqueList, url, wholeNumber } from '#config/schema/fields.ts';
import { contactUrlProblem, type Mode, servedUrlProblem } from '#config/url-rules.ts';
import {
  EXPECTED_REGISTERS,
  type FIXED_LIMITS,
  GUARDS,
  type GuardKey,
  type GuardRow,
  type LimitedGuard,
} from './guard-table.ts';

type Limits = { [Key in Exclude<LimitedGuard, keyof typeof FIXED_LIMITS>]: z.ZodDefault<z.ZodNumber> };

const limits = Object.fromEntries(
  (Object.entries(GUARDS) as [GuardKey, GuardRow][]).flatMap(([key, { limit, measures }]) => {
    if (!limit || limit.fixed) return [];
    const number = limit.kind === 'share' ? share() : wholeNumber(0);
    return [[key, number.default(limit.byDefault).describe(`Maximum: ${measures}.`)]];
  }),
) as Limits;

const guards = group({
  ...limits,
  minimum: group({
    Practitioner: wholeNumber(0).default(1).describe('Minimum number of practitioners.'),
    Organization: wholeNumber(0).default(0).describe('Minimum number of organizations.'),
  }).describe('Minimum number of resources by type.'),
  expected: uniqueList(z.enum(EXPECTED_REGISTERS).describe('Kind of a register.'))
    .default([...EXPECTED_REGISTERS])
    .describe('Registers that a first import must hold. An import that has only FHIR resources needs none.'),
  country: z
    .string()
    .regex(/^[A-Z]{2}$/, 'Must be two capital letters, such as FR.')
    .default('FR')
    .describe(
      'Country (ISO 3166). A first import of the whole country is compared with its published numbers of professionals. Only those of FR are known.',
    ),
});

const DIRECTORY_EXAMPLE = 'https://connect.example.org/directory/v2';

/** The keys of the group `directory`. In production, its addresses must be https. */
export const directory = (mode: Mode) => ({
  url: url((address) => servedUrlProblem(address, mode, DIRECTORY_EXAMPLE) ?? pathProblem(address))
    .exactOptional()
    .describe('Public base address, {directory_url}. Default: <issuer>/directory/v2.'),
  keep: wholeNumber(0, 50).default(2).describe('Number of old snapshots that are kept for a rollback.'),
  distribution: z
    .enum(['database', 'folder'])
    .exactOptional()
    .describe(
      'How snapshots reach the other instances. database: in parts through PostgreSQL; each instance makes its own file of them. folder: not by the service; instances share HYGIE_DATA/directory or get copies. Default: database with PostgreSQL, folder with SQLite.',
    ),
  mayLag: duration('1d', { least: '0s' }).describe(
    'Time for which an instance counts as ready although it still serves an older edition, for example while it fetches the edition in force. 0: such an instance is not ready.',
  ),
  watch: text()
    .exactOptional()
    .describe(
      'Folder from which the service imports new editions by itself. A relative path begins at the configuration folder. Default: none.',
    ),
  tryClient: text()
    .exactOptional()
    .describe(
      'Client of clients.yaml (type: browser) for the sign-in on the page {issuer}/directory/try. That page shows the entry to write. Default: a built-in client in development and in a sandbox, none in production.',
    ),
  reportUrl: url((address) => contactUrlProblem(address, mode, 'errors'))
    .exactOptional()
    .describe(
      'Page or mail address (https or mailto) for reports of errors in a record. Applications find it in the contacts of {directory_url}/metadata as `Errors in records`. Default: none.',
    ),
  settle: duration('60s').describe(
    'Time without any change in the folder of watch after which its files count as complete.',
  ),
  searchThreads: z
    .union([wholeNumber(1, 64), z.literal('auto')])
    .default('auto')
    .describe(
      'Maximum number of search threads of one worker process. A further thread starts when all others are busy. auto: two to four, depending on the cores.',
    ),
  rate: group({
    perSecond: wholeNumber(0, 1_000_000)
      .default(200)
      .describe('Requests per second of one client in the long run, divided among the worker processes. 0: no limit.'),
    burst: wholeNumber(1, 1_000_000).default(1000).describe('Requests of one client at once.'),
  }).describe(
    'Requests of one client application to the directory, with all its users together. One person gets at most half of them. Further requests get 429.',
  ),
  downloads: wholeNumber(0, 100)
    .default(5)
    .describe(
      'Files of bulk exports that one client may download at a time from one worker process. One person may download about half as many. 0 switches exports off.',
    ),
  largestUnpacked: size('20GB').describe(
    'Maximum total size of the unpacked files of one import: bytes, or a number with kB, MB, GB or TB.',
  ),
  guards: guards.describe('Limits beyond which an import is refused and the directory stays as it is.'),
});

function pathProblem(address: string): Problem | undefined {
  if (new URL(address).pathname !== '/') return undefined;
  return { problem: 'Has no path: the directory would hide the sign-in.', remedy: `Add one: ${DIRECTORY_EXAMPLE}` };
}
