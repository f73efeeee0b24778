// The keys of `service.yaml` about the directory: its address, the limits of one client, and the limits beyond which an import is refused.

import { z } from 'zod';
import type { Problem } from '#config/configuration-error.ts';
import { duration, group, share, size, text, uniqueList, url, wholeNumber } from '#config/schema/fields.ts';
import { baseUrlProblem, contactUrlProblem, type Mode } from '#config/url-rules.ts';
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
    const unit = { share: ' (0 to 1)', count: '', days: ' (days)' }[limit.kind];
    return [[key, number.default(limit.byDefault).describe(`Most that may be: ${measures}${unit}.`)]];
  }),
) as Limits;

const guards = group({
  ...limits,
  minimum: group({
    Practitioner: wholeNumber(0).default(1).describe('Least number of practitioners.'),
    Organization: wholeNumber(0).default(0).describe('Least number of organizations.'),
  }).describe('Least number of resources by type.'),
  expected: uniqueList(z.enum(EXPECTED_REGISTERS).describe('Kind of a register.'))
    .default([...EXPECTED_REGISTERS])
    .describe('Registers that a first import must hold; an import of FHIR resources alone needs none.'),
  country: z
    .string()
    .regex(/^[A-Z]{2}$/)
    .default('FR')
    .describe(
      'Country (ISO 3166) with whose published numbers of professionals a first import of a whole country is compared; nothing is known of others than FR.',
    ),
});

const DIRECTORY_EXAMPLE = 'https://connect.example.org/directory/v2';

/** The keys of the group `directory`. In production, its addresses must be https. */
export const directory = (mode: Mode) => ({
  url: url((address) => baseUrlProblem(address, mode === 'production', DIRECTORY_EXAMPLE) ?? pathProblem(address))
    .exactOptional()
    .describe('Public base address, {directory_url}. Without it: <issuer>/directory/v2.'),
  keep: wholeNumber(0, 50).default(2).describe('Old snapshots kept beside the current one, for rollback.'),
  distribution: z
    .enum(['database', 'folder'])
    .exactOptional()
    .describe(
      'How snapshots reach the other instances. database: as parts in PostgreSQL, from which each instance makes its file; folder: not by the service, because instances share HYGIE_DATA/directory or get copies. Without it: database with PostgreSQL, folder with SQLite.',
    ),
  mayLag: duration('1d', { least: '0s' }).describe(
    'Time for which an instance counts as ready although it serves an older edition than the one in force, as while it fetches that; 0 for none.',
  ),
  watch: text()
    .exactOptional()
    .describe(
      'Folder whose new editions the service imports by itself; a relative path begins at the configuration folder. Without it: none.',
    ),
  tryClient: text()
    .exactOptional()
    .describe(
      'Client of clients.yaml (type: browser) with which people sign in on the page {issuer}/directory/try, which says how it is written. Without it: one of its own in development and in a sandbox, none in production.',
    ),
  reportUrl: url((address) => contactUrlProblem(address, mode, 'errors'))
    .exactOptional()
    .describe(
      'Page or mail address (https or mailto) at which people report errors in a record. Applications read it in the contacts of {directory_url}/metadata, as `Errors in records`. Without it: none.',
    ),
  settle: duration('60s').describe('Time without any change in that folder after which its files count as complete.'),
  searchThreads: z
    .union([wholeNumber(1, 64), z.literal('auto')])
    .default('auto')
    .describe(
      'Threads of one worker process that search, each started when those before it are busy; auto: two to four, by the cores.',
    ),
  rate: group({
    perSecond: wholeNumber(0, 1_000_000)
      .default(200)
      .describe(
        'Requests per second of one client in the long run, shared out among the worker processes; 0 for no limit.',
      ),
    burst: wholeNumber(1, 1_000_000).default(1000).describe('Requests of one client at once.'),
  }).describe(
    'Requests of one client application to the directory, all of its users together, of which one person has half at the most; beyond them: 429.',
  ),
  downloads: wholeNumber(0, 100)
    .default(5)
    .describe(
      'Files of bulk exports that one client may download at a time from one worker process, one person about half; 0 switches exports off.',
    ),
  largestUnpacked: size('20GB').describe(
    'Most that the files of one import may hold in all, once they are unpacked: bytes, or a number with kB, MB, GB or TB.',
  ),
  guards: guards.describe('When an import is refused and the directory stays as it is.'),
});

function pathProblem(address: string): Problem | undefined {
  if (new URL(address).pathname !== '/') return undefined;
  return { problem: 'Has no path: the directory would hide the sign-in.', remedy: `Add one: ${DIRECTORY_EXAMPLE}` };
}
